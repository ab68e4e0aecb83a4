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
  /** Path of the invalid text inside the value. */
  readonly path: TreePath;
}

type Parsed = Outcome<Value, Flaw>;

/** The notations that a value of this kind supports besides plain data. */
export interface ValueStyle {
  /** A text such as `id.outputs.field` is a reference to that output if the step exists. */
  readonly isStep: (id: string) => boolean;
  /** A map `{value: …}` is a literal: its content is used without expansion. */
  readonly hasQuotes: boolean;
}

/** Style for values of inputs and fields. */
export function valueStyle(isStep: ValueStyle["isStep"]): ValueStyle {
  return { isStep, hasQuotes: true };
}

/** Style for args of another workflow, whose texts and maps have always been plain data. */
export const ARG_STYLE: ValueStyle = { isStep: () => false, hasQuotes: false };

/** Parses a value. Every text in it becomes a template; a value without references stays plain. */
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

/** Returns the values when none of them contains a reference, else undefined. */
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

/** Yields every path in a value, in order, with the position of its text in the value. */
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
