export { EMPTY_SCRIPT, findEntry, readScript, type Script, type ScriptEntry } from "./script.ts";
export { answerByScript, type ScriptedAnswer, type ScriptedRequest } from "./scripted-answer.ts";
