import {
  fail,
  getOwn,
  isJsonArray,
  isJsonObject,
  succeed,
  type Json,
  type JsonObject,
  type Outcome,
  type ProblemCode,
  type TreePath,
} from "../base/index.ts";
import { parseExpression, parsePath, type Path, type SyntaxProblem } from "../expression/index.ts";
import { parseStepTemplate, pathsOfTemplate } from "./step-template.ts";
import type { Value } from "./template.ts";

interface Flaw extends Omit<SyntaxProblem, "code"> {
  readonly code: ProblemCode;
  /** Where in the value the bad text stands. */
  readonly path: TreePath;
}

type Parsed = Outcome<Value, Flaw>;

/** What a place reads as more than data. */
export interface ValueStyle {
  /** A text such as `id.outputs.field` is that output of the step, when there is one. */
  readonly isStep: (id: string) => boolean;
  /** A map `{value: …}` is what it holds, as it is written. */
  readonly hasQuotes: boolean;
}

/** Values of inputs and fields. */
export function valueStyle(isStep: ValueStyle["isStep"]): ValueStyle {
  return { isStep, hasQuotes: true };
}

/** Args of another workflow, whose texts and maps have always been data. */
export const ARG_STYLE: ValueStyle = { isStep: () => false, hasQuotes: false };

/** Every text in the value becomes a template; whatever holds nothing to fill in stays a plain value. */
export function parseValue(value: Json, style: ValueStyle): Parsed {
  if (style.hasQuotes && isJsonObject(value) && isOnlyKey(value, "value")) {
    return succeed({ kind: "literal", value: getOwn(value, "value") ?? null });
  }
  return parseAt(value, style, []);
}

function isOnlyKey(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key) && Object.keys(object).length === 1;
}

function parseAt(value: Json, style: ValueStyle, path: TreePath): Parsed {
  if (typeof value === "string") return parseText(value, style, path);
  if (isJsonArray(value)) return parseList(value, style, path);
  if (!isJsonObject(value)) return succeed({ kind: "literal", value });
  const written = isOnlyKey(value, "expr") ? getOwn(value, "expr") : undefined;
  if (typeof written === "string") return parseCalculation(written, [...path, "expr"]);
  return parseObject(value, style, path);
}

function parseCalculation(text: string, path: TreePath): Parsed {
  const parsed = parseExpression(text);
  if (parsed.ok) return succeed({ kind: "expression", expression: parsed.value });
  return fail({ ...parsed.failure, code: parsed.failure.code ?? "bad_expression", path });
}

const OUTPUT = /^([A-Za-z_][\w-]*)\.outputs(?:[.[].*)?$/su;

function parseText(text: string, style: ValueStyle, path: TreePath): Parsed {
  const id = OUTPUT.exec(text)?.[1];
  const reference = id !== undefined && style.isStep(id) ? parsePath(text) : undefined;
  if (reference?.ok === true) return succeed({ kind: "reference", path: reference.value });
  const template = parseStepTemplate(text);
  if (!template.ok) return fail({ ...template.failure, code: template.failure.code ?? "bad_template", path });
  const { parts } = template.value;
  const literals = parts.filter((part) => typeof part === "string");
  if (literals.length < parts.length) return succeed({ kind: "template", template: template.value });
  return succeed({ kind: "literal", value: literals.join("") });
}

function parseList(list: readonly Json[], style: ValueStyle, path: TreePath): Parsed {
  const items: Value[] = [];
  for (const [index, item] of list.entries()) {
    const parsed = parseAt(item, style, [...path, index]);
    if (!parsed.ok) return parsed;
    items.push(parsed.value);
  }
  const plain = plainValues(items);
  return succeed(plain === undefined ? { kind: "list", items } : { kind: "literal", value: plain });
}

function parseObject(object: JsonObject, style: ValueStyle, path: TreePath): Parsed {
  const keys = Object.keys(object);
  const items: Value[] = [];
  for (const [key, item] of Object.entries(object)) {
    const parsed = parseAt(item, style, [...path, key]);
    if (!parsed.ok) return parsed;
    items.push(parsed.value);
  }
  const plain = plainValues(items);
  if (plain !== undefined) return succeed({ kind: "literal", value: underKeys(keys, plain) });
  return succeed({ kind: "object", members: underKeys(keys, items) });
}

/** The values when not one of them has to be filled in. */
function plainValues(items: readonly Value[]): readonly Json[] | undefined {
  const values: Json[] = [];
  for (const item of items) {
    if (item.kind !== "literal") return undefined;
    values.push(item.value);
  }
  return values;
}

function underKeys<T>(keys: readonly string[], values: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(values.map((value, index) => [keys[index] ?? "", value]));
}

/** Every path in a value, in order, with where in the value its text stands. */
export function* pathsOfValue(value: Value, at: TreePath = []): Generator<{ path: Path; at: TreePath }> {
  switch (value.kind) {
    case "literal":
      return;
    case "reference":
      yield { path: value.path, at };
      return;
    case "template":
      for (const path of pathsOfTemplate(value.template)) yield { path, at };
      return;
    case "expression":
      for (const path of value.expression.paths) yield { path, at: [...at, "expr"] };
      return;
    case "list":
      for (const [index, item] of value.items.entries()) yield* pathsOfValue(item, [...at, index]);
      return;
    case "object":
      for (const [key, member] of Object.entries(value.members)) yield* pathsOfValue(member, [...at, key]);
  }
}
