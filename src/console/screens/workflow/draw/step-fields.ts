import type { StepKind } from "../../../../core/edit/index.ts";
import type { FieldWords } from "../../../form/form-context.ts";

/** The fields that a form shows initially for each kind of step, in the order in which an author usually fills them in. */
export const FIELDS_BY_KIND: Readonly<Record<StepKind, readonly string[]>> = {
  agent: ["command", "agent", "model", "outputs"],
  http: ["command", "inputs", "outputs"],
  process: ["command", "stdin", "outputs"],
  tool: ["command", "inputs", "outputs"],
  gate: ["name", "show", "approvers", "form"],
  function: ["function", "inputs", "outputs"],
  child: ["workflow_ref", "with"],
  set: ["set"],
  script: ["script", "inputs", "outputs"],
  wait: ["wait"],
  emit: ["emit"],
  end: ["cancel", "fail"],
  block: ["outputs"],
  choose: [],
  library: ["library_step"],
};

/** Fields of every step that define when it runs. */
export const ALWAYS: readonly string[] = ["depends_on", "condition"];
/** Fields that the canvas shows itself. */
export const DRAWN: ReadonlySet<string> = new Set(["id", "steps", "choose", "else"]);
/** Fields that define the kind of a step. They can be emptied, but not removed. */
const DEFINING: ReadonlySet<string> = new Set([
  "command",
  "function",
  "workflow_ref",
  "for_each",
  "when",
  "wait",
  "script",
  "cancel",
  "fail",
  "until",
]);
const EXPRESSIONS: ReadonlySet<string> = new Set(["condition", "when", "until", "for_each", "if"]);
const LONG: ReadonlySet<string> = new Set(["command", "script", "code", "description", "message", "reason"]);
/** One-line texts that can contain values of other steps. */
const FILLED: ReadonlySet<string> = new Set(["name", "stdin", "cancel", "fail", "reason", "message", "command"]);
const CODE: ReadonlySet<string> = new Set(["script", "code"]);

function rowsOf(key: string): number {
  return key === "command" || CODE.has(key) ? 4 : LONG.has(key) ? 2 : 1;
}

const TITLES: Readonly<Record<string, string>> = {
  command: "Instruction",
  depends_on: "Waits for",
  condition: "Only if",
  for_each: "For each element of",
  as: "Each element is called",
  workflow_ref: "Workflow",
  set: "Values",
  with: "Args",
  cancel: "Why the run ends",
  fail: "Why the run fails",
  when: "When",
};
const COMMANDS: Partial<Readonly<Record<StepKind, string>>> = { http: "Request", tool: "Tool", process: "Command" };

function fieldTitle(key: string, kind: StepKind | null): string | undefined {
  if (key === "command" && kind !== null) return COMMANDS[kind] ?? TITLES[key];
  return TITLES[key];
}

const HINTS: Partial<Readonly<Record<StepKind, string>>> = {
  http: "A method and an address, or a target of the configuration: GET https://…; ${…} is filled in.",
  tool: "A server of the configuration and one of its tools: calculator/add.",
  process: "A command of the configuration.",
};

function fieldHint(key: string, kind: StepKind | null): string | undefined {
  return key === "command" && kind !== null ? HINTS[kind] : undefined;
}

const NOUNS: Readonly<Record<string, string>> = {
  outputs: "output",
  inputs: "input",
  with: "arg",
  form: "field",
  set: "value",
};

function nounOfEntry(key: string): string {
  return NOUNS[key] ?? "entry";
}

export function wordsOfStep(kind: StepKind | null): FieldWords {
  return {
    titleOf: (key) => fieldTitle(key, kind),
    hintOf: (key) => fieldHint(key, kind),
    rowsOf,
    nounOf: nounOfEntry,
    isExpression: (key) => EXPRESSIONS.has(key),
    isCode: (key) => CODE.has(key),
    isFilled: (key) => FILLED.has(key),
    isSecret: () => false,
    isDefining: (key) => DEFINING.has(key),
  };
}
