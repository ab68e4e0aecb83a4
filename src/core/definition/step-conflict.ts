import type { Json, TreePath } from "../base/index.ts";
import { fixedDefault } from "./form-shape.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import { checkRace } from "./step-outcome.ts";
import { checkRepeat } from "./repeat-check.ts";
import type { RawStep } from "./step-shape.ts";
import { checkWork, hasWork, isWorkWritten } from "./work-fields.ts";

/** Reports fields of a step that contradict each other, or that have no effect without another field. */
export function checkConflicts(written: Located<RawStep>, isOpen: boolean, report: Report): void {
  const { raw, path } = written;
  const has = (name: string): boolean => isWritten(raw, name);
  checkWork(written, report);
  if (has("approval") && has("hitl")) {
    conflict(path, "hitl", `"hitl" and "approval" mean the same.`, "Keep approval.", report);
  } else if (written.read.hitl === true) {
    const message = `"hitl" is another word for "approval: required".`;
    report.warning("alias_used", [...path, "hitl"], message, { isAtKey: true, hint: "Write approval: required." });
  }
  if (has("retry") && (written.read.on_failure?.retry ?? null) !== null) {
    conflict(path, "retry", `"retry" stands here and under "on_failure".`, "Keep one of them.", report);
  }
  checkFourEyes(written, report);
  checkAtMostOnce(written, report);
  checkReemitted(written, report);
  checkRace(written, report);
  checkRepeat(written, isOpen, report);
  // A missing field may be in a library entry that is not available.
  if (isOpen) return;
  if (has("with") && !has("workflow_ref")) {
    conflict(path, "with", `"with" has no effect without "workflow_ref".`, "Name the workflow it is for.", report);
  }
  for (const name of ["as", "max_items", "max_parallel", "tolerate"]) {
    if (!has(name) || has("for_each")) continue;
    conflict(path, name, `"${name}" has no effect without "for_each".`, "Add for_each or remove it.", report);
  }
  checkCommand(written, report);
  checkGate(written, report);
  checkForm(written, report);
}

function checkFourEyes({ read, path }: Located<RawStep>, report: Report): void {
  if (read.four_eyes !== true) return;
  const means = `"four_eyes" means quorum: 2 with separate_approver`;
  if (read.quorum === 1) conflict(path, "quorum", `${means}, so that quorum: 1 contradicts it.`, "Remove one.", report);
  if (read.separate_approver === false) {
    conflict(
      path,
      "separate_approver",
      `${means}, so that separate_approver: false contradicts it.`,
      "Remove one.",
      report,
    );
  }
}

/** Reports a form whose values would not be used. */
function checkForm({ read, raw, path }: Located<RawStep>, report: Report): void {
  if (!isWritten(raw, "form")) return;
  const id = read.id ?? "the step";
  if (!isWritten(raw, "approval") && read.hitl !== true) {
    const message = `"form" has no effect without "approval: required": no person is asked.`;
    return conflict(path, "form", message, "Add approval: required, or remove it.", report);
  }
  const work = workOf(read, raw);
  checkUnanswered(read, path, report);
  if (work === undefined) return;
  const message = `A form belongs to a gate, and "${id}" has a "${work}" as well: what is entered would go nowhere.`;
  const hint =
    "Put a step with approval: required and this form before it, and read what was entered as ${gate.field}.";
  conflict(path, "form", message, hint, report);
}

function workOf(read: RawStep, raw: Json): string | undefined {
  if (isWritten(raw, "command") && read.command?.text.trim() !== "") return "command";
  return ["workflow_ref", "set", "script", "function", "cancel", "fail", "wait", "emit", "steps", "choose"].find(
    (name) => isWritten(raw, name),
  );
}

/** Reports outputs and criteria of a gate without work. No agent runs, so it can return only the answer of the approval. */
function checkGate({ read, raw, path }: Located<RawStep>, report: Report): void {
  const isGate = read.approval === "required" || read.hitl === true;
  if (!isGate || hasWork(read) || workOf(read, raw) !== undefined) return;
  for (const name of ["outputs", "success_criteria"]) {
    if (!isWritten(raw, name)) continue;
    const message = `A gate without a command returns only "approved", so that "${name}" says nothing.`;
    const hint = "Remove it, or write a command for an agent to do once the step is approved.";
    report.strict("conflicting_fields", [...path, name], message, { isAtKey: true, hint });
  }
}

/** Reports a form with required fields when the gate may be approved without an answer, because the values would be missing. */
function checkUnanswered({ otherwise, form = {} }: RawStep, path: TreePath, report: Report): void {
  if (otherwise !== "approve") return;
  const open = Object.entries(form).find(([, field]) => field.required && fixedDefault(field) === null);
  if (open === undefined) return;
  const message = `"otherwise: approve" would approve without "${open[0]}", which a person has to enter.`;
  conflict(path, "otherwise", message, `Give "${open[0]}" a default, or write another word.`, report);
}

function checkAtMostOnce({ read, raw, path }: Located<RawStep>, report: Report): void {
  if (read.effects !== "at_most_once") return;
  const hint = "Remove the retry, or write effects: at_least_once.";
  if (isWritten(raw, "retry")) {
    conflict(path, "retry", `A step with "effects: at_most_once" is never tried again.`, hint, report);
  }
  const { word, retry } = read.on_failure ?? { word: "halt", retry: null };
  if (retry === null ? word.startsWith("retry") : retry.attempts > 1) {
    const message = `"on_failure: ${retry === null ? word : "{retry: …}"}" tries again what "effects: at_most_once" forbids to repeat.`;
    conflict(path, "on_failure", message, hint, report);
  }
}

function checkReemitted({ read, path }: Located<RawStep>, report: Report): void {
  const outputs = read.outputs ?? {};
  for (const name of Object.keys(read.inputs ?? {})) {
    if (!Object.hasOwn(outputs, name)) continue;
    const message = `"${name}" is an input and an output: what the agent returns replaces the value it was given.`;
    const hint = "Remove the output to pass the input through untouched, or give it another name.";
    report.warning("reemitted_input", [...path, "outputs", name], message, { isAtKey: true, hint });
  }
}

function checkCommand({ read, raw, path }: Located<RawStep>, report: Report): void {
  const isGate = isWritten(raw, "approval") || read.hitl === true;
  const hasOther = isGate || isWritten(raw, "workflow_ref") || isWorkWritten(raw);
  const isBlank = read.command !== undefined && read.command.text.trim() === "";
  if (hasOther || (isWritten(raw, "command") && !isBlank)) return;
  const message = isBlank ? `"command" is blank.` : `The step has nothing to do: it has no "command".`;
  const hint =
    "Write what the agent or adapter should do, or use approval, workflow_ref, function, set, script, wait, emit, steps, choose or library_step.";
  const at = isBlank ? [...path, "command"] : path;
  report.problem("missing_command", [...path, "command"], message, { at, hint });
}

function conflict(path: TreePath, name: string, message: string, hint: string, report: Report): void {
  report.problem("conflicting_fields", [...path, name], message, { isAtKey: true, hint });
}
