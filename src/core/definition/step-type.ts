import {
  ANY,
  evaluateCondition,
  findTypeMismatch,
  findUndecidable,
  KIND_PHRASES,
  matchMember,
  readsPaths,
  valueKindOf,
  type Expression,
  type Known,
  type ParsedExpression,
  type Path,
  type TypeMismatch,
} from "../expression/index.ts";
import { getOwn, type TreePath } from "../base/index.ts";
import { isExpression, type StepTemplate, type Value } from "../template/index.ts";
import type { Report } from "./report.ts";
import type { MentionField } from "./mention.ts";
import type { StepDraft } from "./step-draft.ts";
import type { StepScope } from "./step-scope.ts";
import { valueKnown } from "./value-known.ts";
import { fieldOfSchema, propertiesOf } from "./worker-function.ts";

type Know = (path: Path) => Known;

/** Reports comparisons that always fail, `for_each` values that are not lists, and conditions that can never hold. */
export function checkStepTypes(draft: StepDraft, scope: StepScope, report: Report): void {
  const { condition, success_criteria: criteria } = draft.raw;
  const knowIn =
    (field: MentionField): Know =>
    (path) => {
      const meaning = scope.meaningOf(path, field, draft);
      return "known" in meaning ? meaning.known : ANY;
    };
  if (condition !== undefined) {
    const know = knowIn("condition");
    const isSound = checkTypes(condition, draft.conditionPath, know, report);
    if (isSound) checkReachable(condition, draft.conditionPath, know, report);
  }
  for (const { when, path } of draft.raw.choose ?? []) {
    if (when !== null) checkTypes(when, [...path, "when"], knowIn("choose"), report);
  }
  for (const { read, path: at } of criteria ?? []) checkTypes(read, at, knowIn("success_criteria"), report);
  const until = draft.raw.repeat?.until ?? null;
  if (until !== null) checkTypes(until, [...draft.path, "repeat", "until"], knowIn("until"), report);
  checkList(draft, knowIn("for_each"), report);
  for (const [field, template] of [["command", draft.raw.command] as const, ["stdin", draft.raw.stdin] as const]) {
    if (template !== undefined) checkTemplate(template, [...draft.path, field], knowIn(field), report);
  }
  const { field, at: placeOf } = draft.filled;
  for (const [name, value] of Object.entries(draft.with)) checkValue(value, placeOf(name), knowIn(field), report);
  for (const [name, { from }] of Object.entries(draft.inputs)) {
    if (from !== null) checkValue(from, [...draft.path, "inputs", name], knowIn("inputs"), report);
  }
  checkFunctionInputs(draft, knowIn("inputs"), report);
  const retryIf = draft.raw.on_failure?.retryIf ?? null;
  if (retryIf !== null) checkTypes(retryIf, [...draft.path, "on_failure", "retry", "if"], knowIn("on_failure"), report);
}

function checkValue(value: Value, at: TreePath, know: Know, report: Report): void {
  switch (value.kind) {
    case "literal":
    case "reference":
      return;
    case "template":
      return checkTemplate(value.template, at, know, report);
    case "expression":
      return checkCalculation(value.expression, [...at, "expr"], know, report);
    case "list":
      return value.items.forEach((item, index) => checkValue(item, [...at, index], know, report));
    case "object":
      for (const [key, member] of Object.entries(value.members)) checkValue(member, [...at, key], know, report);
  }
}

const KIND_OF_TYPE = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "list",
  object: "object",
  file: "object",
} as const;

/** Reports values of a known type that the schema of the function does not accept. Literals and declared types are checked before. */
function checkFunctionInputs({ work, inputs, path }: StepDraft, know: Know, report: Report): void {
  if (work?.kind !== "function" || work.input === null) return;
  const properties = propertiesOf(work.input);
  for (const [name, { from, type }] of Object.entries(inputs)) {
    const property = getOwn(properties, name);
    const field = property === undefined ? null : fieldOfSchema(property, true);
    if (field?.type === undefined || from === null || from.kind === "literal" || type !== null) continue;
    const kind = valueKindOf(valueKnown(from, know));
    if (kind === undefined || kind === KIND_OF_TYPE[field.type]) continue;
    const at = [...path, "inputs", name];
    const message = `${textOf(from)} is ${KIND_PHRASES[kind]}, but the function "${work.name}" takes ${field.type} there.`;
    report.strict("type_mismatch", at, message, { hint: "Convert it, or name another value." });
  }
}

function checkCalculation({ root }: ParsedExpression, at: TreePath, know: Know, report: Report): void {
  const mismatch = findTypeMismatch(root, know);
  if (mismatch !== undefined) reportMismatch(mismatch, "This can never be calculated", at, report);
}

/** Checks the expressions in a template. */
function checkTemplate(template: StepTemplate, at: TreePath, know: Know, report: Report): void {
  for (const part of template.parts) {
    if (typeof part !== "string" && isExpression(part)) checkCalculation(part, at, know, report);
  }
}

function reportMismatch(
  { code, message, position, hint }: TypeMismatch,
  verdict: string,
  at: TreePath,
  report: Report,
): void {
  const text = code === "type_mismatch" ? `${verdict}: ${message}.` : `${message}.`;
  report.strict(code, at, text, { offset: position, hint });
}

function checkList({ forEach, path }: StepDraft, know: Know, report: Report): void {
  if (forEach === null) return;
  checkValue(forEach.list, [...path, "for_each"], know, report);
  const kind = valueKindOf(valueKnown(forEach.list, know));
  if (kind === undefined || kind === "list") return;
  const message = `for_each needs a list, but ${textOf(forEach.list)} is ${KIND_PHRASES[kind]}.`;
  // Only a warning, because the run reports it too, at the step.
  report.unconfirmed("type_mismatch", [...path, "for_each"], message, { hint: "Name a value of type array." });
}

function textOf(value: Value): string {
  if (value.kind === "reference") return value.path.text;
  if (value.kind === "expression") return value.expression.text;
  return value.kind === "template" ? value.template.text : "it";
}

export function checkTypes(parsed: ParsedExpression, at: TreePath, know: Know, report: Report): boolean {
  const mismatch = findUndecidable(parsed.root, know);
  if (mismatch === undefined) return true;
  reportMismatch(mismatch, "This can never be decided", at, report);
  return false;
}

function checkReachable(parsed: ParsedExpression, at: TreePath, know: Know, report: Report): void {
  const reason = neverHolds(parsed.root, know);
  if (reason === undefined) return;
  const message = `The step can never run: ${reason}.`;
  report.warning("unreachable_condition", at, message, { hint: "Fix the condition or remove the step." });
}

function neverHolds(node: Expression, know: Know): string | undefined {
  if (node.kind === "and") return neverHolds(node.left, know) ?? neverHolds(node.right, know);
  if (!readsPaths(node)) {
    const outcome = evaluateCondition(node, () => undefined);
    return outcome.ok && !outcome.value ? "its condition is always false" : undefined;
  }
  if (node.kind === "compare" && node.operator === "==") {
    return outsideEnum(node.left, [node.right], know) ?? outsideEnum(node.right, [node.left], know);
  }
  if (node.kind === "in" && node.list.kind === "list") return outsideEnum(node.value, node.list.items, know);
  return undefined;
}

function outsideEnum(subject: Expression, wanted: readonly Expression[], know: Know): string | undefined {
  if (subject.kind !== "path") return undefined;
  const known = know(subject.path);
  const members = known.kind === "text" ? known.enum : undefined;
  if (members === undefined) return undefined;
  const texts: string[] = [];
  for (const candidate of wanted) {
    if (candidate.kind !== "literal" || typeof candidate.value !== "string") return undefined;
    texts.push(candidate.value);
  }
  const canMatch = members.some((member) => typeof member !== "string" || matchMember(member, texts) !== undefined);
  return canMatch ? undefined : `${subject.path.text} is one of ${members.join(", ")}`;
}
