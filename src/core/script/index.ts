export {
  EMPTY_SCRIPT,
  findEntry,
  readScript,
  readScriptAt,
  type Script,
  type ScriptEntry,
  scriptJsonSchema,
} from "./script.ts";
export { roundAfter, type ScriptCall, type ScriptRound } from "./script-round.ts";
export { sampleForm } from "./sample-form.ts";
export { answerByScript, type Bill, scriptedBill } from "./scripted-answer.ts";
export { problemAt, shapeProblems } from "./shape-problem.ts";
