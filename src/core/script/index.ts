export { EMPTY_SCRIPT, findEntry, readScript, type Script, type ScriptEntry } from "./script.ts";
export { sampleForm } from "./sample-form.ts";
export { answerByScript } from "./scripted-answer.ts";
