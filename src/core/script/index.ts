export {
  EMPTY_SCRIPT,
  findEntry,
  keysOfNode,
  readScript,
  readScriptAt,
  type Script,
  type ScriptedNode,
  type ScriptEntry,
  scriptJsonSchema,
} from "./script.ts";
export { roundAfter, type ScriptCall, type ScriptRound } from "./script-round.ts";
export { sampleForm } from "./sample-form.ts";
export { answerByScript, type Bill, scriptedBill } from "./scripted-answer.ts";
export { problemAt, shapeProblems } from "./shape-problem.ts";
