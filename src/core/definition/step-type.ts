import { evaluateCondition, findTypeMismatch, matchMember, type Expression, type Path } from "../expression/index.ts";
import type { ParsedExpression, ValueKind } from "../expression/index.ts";
import type { TreePath } from "../base/index.ts";
import type { StepInput } from "./definition.ts";
import type { ArgField, FieldType, OutputField } from "./field.ts";
import type { Report } from "./report.ts";
import type { StepDraft } from "./step-draft.ts";

/** What is declared in a file, by name. */
export interface Declared {
  readonly steps: ReadonlyMap<string, StepDraft>;
  readonly args: Readonly<Record<string, ArgField>>;
  /** Declared outputs shadow args of the same name for whoever comes after them. */
  readonly variables: ReadonlySet<string>;
}

interface Known {
  readonly type: FieldType;
  readonly enum?: OutputField["enum"];
}

const KIND_OF_TYPE: Readonly<Record<FieldType, ValueKind>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  object: "object",
  array: "list",
};

/** Comparisons that can never work, and conditions that can never hold. */
export function checkStepTypes(draft: StepDraft, declared: Declared, report: Report): void {
  const { condition, success_criteria: criteria } = draft.raw;
  if (condition !== undefined) {
    const know = (path: Path): Known | undefined => knowPath(path, declared);
    const isSound = checkTypes(condition, draft.conditionPath, know, report);
    if (isSound) checkReachable(condition, draft.conditionPath, know, report);
  }
  for (const { read, path: at } of criteria ?? []) {
    checkTypes(read, at, (path) => knowOwn(path, draft, declared), report);
  }
}

type Know = (path: Path) => Known | undefined;

export function checkTypes(parsed: ParsedExpression, at: TreePath, know: Know, report: Report): boolean {
  const kindOf = (path: Path): ValueKind | undefined => {
    const known = know(path);
    return known === undefined ? undefined : KIND_OF_TYPE[known.type];
  };
  const mismatch = findTypeMismatch(parsed.root, kindOf) ?? findNonBoolean(parsed.root, kindOf);
  if (mismatch === undefined) return true;
  const detail = mismatch.position === undefined ? {} : { offset: mismatch.position };
  report.problem("type_mismatch", at, `This can never be decided: ${mismatch.message}.`, detail);
  return false;
}

/** Only true, false, null and missing decide anything. */
function findNonBoolean(
  node: Expression,
  kindOf: (path: Path) => ValueKind | undefined,
): { readonly message: string; readonly position?: number } | undefined {
  switch (node.kind) {
    case "and":
    case "or":
      return findNonBoolean(node.left, kindOf) ?? findNonBoolean(node.right, kindOf);
    case "not":
      return findNonBoolean(node.operand, kindOf);
    case "path": {
      const kind = kindOf(node.path);
      if (kind === undefined || kind === "boolean") return undefined;
      return { message: `${node.path.text} is neither true nor false`, position: node.path.position };
    }
    case "literal":
      if (node.value === null || typeof node.value === "boolean") return undefined;
      return { message: `${JSON.stringify(node.value)} is neither true nor false` };
    case "list":
      return { message: "a list is neither true nor false" };
    case "compare":
    case "in":
      return undefined;
  }
}

function knowOwn(path: Path, draft: StepDraft, declared: Declared): Known | undefined {
  const [head, name, ...rest] = path.segments;
  if (head !== "outputs") return knowPath(path, declared);
  return typeof name === "string" ? lookInto(declaredField(draft, name), rest) : undefined;
}

function knowPath(path: Path, declared: Declared): Known | undefined {
  const [head, ...rest] = path.segments;
  if (typeof head !== "string") return undefined;
  const target = declared.steps.get(head);
  if (target !== undefined) return knowStep(target, rest);
  if (declared.variables.has(head) || !Object.hasOwn(declared.args, head)) return undefined;
  const { type, ...constraints } = declared.args[head] ?? {};
  return type === undefined ? undefined : lookInto({ type, ...constraints }, rest);
}

function knowStep(target: StepDraft, rest: readonly (string | number)[]): Known | undefined {
  const [first, second] = rest;
  const isWhole = rest.length === 1;
  if (first === "approved" && isWhole) return { type: "boolean" };
  if (first === "stdout" && isWhole) return { type: "string" };
  const name = first === "outputs" ? second : first;
  const beyond = rest.slice(first === "outputs" ? 2 : 1);
  if (typeof name !== "string" || name === "json") return undefined;
  return lookInto(fieldOf(target, name), beyond);
}

const INSTANCE_FIELDS: ReadonlyMap<string, FieldType> = new Map([
  ["items", "array"],
  ["count", "integer"],
  ["failed", "integer"],
]);

/** What others see of a step: one with instances gathers theirs. */
function fieldOf(draft: StepDraft, name: string): Known | undefined {
  if (draft.forEach === null) return declaredField(draft, name);
  const type = INSTANCE_FIELDS.get(name);
  return type === undefined ? undefined : { type };
}

/** A declared output, or an input that is passed through. */
function declaredField(draft: StepDraft, name: string): Known | undefined {
  const { outputs, inputs } = draft;
  if (outputs !== null && Object.hasOwn(outputs, name)) return outputs[name];
  const input: StepInput | undefined = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  return input === undefined || input.type === null ? undefined : { type: input.type };
}

function lookInto(field: Known | undefined, rest: readonly (string | number)[]): Known | undefined {
  if (field === undefined || rest.length === 0) return field;
  const hasLength = field.type === "string" || field.type === "array";
  return rest.length === 1 && rest[0] === "length" && hasLength ? { type: "integer" } : undefined;
}

function checkReachable(parsed: ParsedExpression, at: TreePath, know: Know, report: Report): void {
  const reason = neverHolds(parsed.root, know);
  if (reason === undefined) return;
  const message = `The step can never run: ${reason}.`;
  report.warning("unreachable_condition", at, message, { hint: "Mend the condition or remove the step." });
}

function neverHolds(node: Expression, know: Know): string | undefined {
  if (node.kind === "and") return neverHolds(node.left, know) ?? neverHolds(node.right, know);
  if (!hasPath(node)) {
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
  const members = know(subject.path)?.enum;
  if (members === undefined) return undefined;
  const texts: string[] = [];
  for (const candidate of wanted) {
    if (candidate.kind !== "literal" || typeof candidate.value !== "string") return undefined;
    texts.push(candidate.value);
  }
  const canMatch = members.some((member) => typeof member !== "string" || matchMember(member, texts) !== undefined);
  return canMatch ? undefined : `${subject.path.text} is one of ${members.join(", ")}`;
}

function hasPath(node: Expression): boolean {
  switch (node.kind) {
    case "path":
      return true;
    case "literal":
      return false;
    case "list":
      return node.items.some(hasPath);
    case "not":
      return hasPath(node.operand);
    case "in":
      return hasPath(node.value) || hasPath(node.list);
    case "and":
    case "or":
    case "compare":
      return hasPath(node.left) || hasPath(node.right);
  }
}
