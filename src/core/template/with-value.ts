import {
  fail,
  isJsonArray,
  isJsonObject,
  succeed,
  type Json,
  type JsonObject,
  type Outcome,
  type TreePath,
} from "../base/index.ts";
import type { SyntaxProblem } from "../expression/index.ts";
import { parseStepTemplate } from "./step-template.ts";
import type { WithValue } from "./template.ts";

type Parsed = Outcome<WithValue, SyntaxProblem & { readonly path: TreePath }>;

/** Every text in the value becomes a template; whatever holds no reference stays a plain value. */
export function parseWithValue(value: Json): Parsed {
  return parseAt(value, []);
}

function parseAt(value: Json, path: TreePath): Parsed {
  if (typeof value === "string") return parseText(value, path);
  if (isJsonArray(value)) return parseList(value, path);
  return isJsonObject(value) ? parseObject(value, path) : succeed({ kind: "value", value });
}

function parseText(text: string, path: TreePath): Parsed {
  const template = parseStepTemplate(text);
  if (!template.ok) return fail({ ...template.failure, path });
  const { parts } = template.value;
  const literals = parts.filter((part) => typeof part === "string");
  if (literals.length < parts.length) return succeed({ kind: "text", template: template.value });
  return succeed({ kind: "value", value: literals.join("") });
}

function parseList(list: readonly Json[], path: TreePath): Parsed {
  const items: WithValue[] = [];
  for (const [index, item] of list.entries()) {
    const parsed = parseAt(item, [...path, index]);
    if (!parsed.ok) return parsed;
    items.push(parsed.value);
  }
  const plain = plainValues(items);
  return succeed(plain === undefined ? { kind: "list", items } : { kind: "value", value: plain });
}

function parseObject(object: JsonObject, path: TreePath): Parsed {
  const keys = Object.keys(object);
  const items: WithValue[] = [];
  for (const [key, item] of Object.entries(object)) {
    const parsed = parseAt(item, [...path, key]);
    if (!parsed.ok) return parsed;
    items.push(parsed.value);
  }
  const plain = plainValues(items);
  if (plain !== undefined) return succeed({ kind: "value", value: underKeys(keys, plain) });
  return succeed({ kind: "object", members: underKeys(keys, items) });
}

/** The values when not one of them holds a reference. */
function plainValues(items: readonly WithValue[]): readonly Json[] | undefined {
  const values: Json[] = [];
  for (const item of items) {
    if (item.kind !== "value") return undefined;
    values.push(item.value);
  }
  return values;
}

function underKeys<T>(keys: readonly string[], values: readonly T[]): Readonly<Record<string, T>> {
  return Object.fromEntries(values.map((value, index) => [keys[index] ?? "", value]));
}
