export { EMPTY_SCRIPT, findEntry, readScript, type Script, type ScriptEntry } from "./script.ts";
export { answerByScript } from "./scripted-answer.ts";
