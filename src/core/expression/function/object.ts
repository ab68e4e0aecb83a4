import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../base/index.ts";
import { ANY, ANY_OBJECT, BOOLEAN, closedObject, TEXT, type Known } from "../known.ts";
import { parsePath } from "../path.ts";
import { walk } from "../walk.ts";
import type { Call } from "./call.ts";
import { type FunctionEntry, nullable, object, oneOf, optional, rest, text, value } from "./function.ts";

const ENTRIES: Known = {
  kind: "list",
  items: closedObject([
    ["key", TEXT],
    ["value", ANY],
  ]),
};

function keysOf(call: Call): readonly string[] {
  const keys = Object.keys(call.object(0));
  call.meter.elements(keys.length);
  return keys;
}

/** Reads keys given as one list or as separate arguments. */
function namesFrom(call: Call): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [index, given] of call.from(1).entries()) {
    for (const name of isJsonArray(given) ? given : [given]) {
      if (typeof name !== "string")
        throw call.kindFault(`keys are texts, but ${call.name(index + 1)} has something else`);
      names.add(name);
    }
  }
  call.meter.elements(names.size);
  return names;
}

function kept(call: Call, isKept: (isNamed: boolean) => boolean): JsonObject {
  const names = namesFrom(call);
  const source = call.object(0);
  return Object.fromEntries(
    keysOf(call)
      .filter((key) => isKept(names.has(key)))
      .map((key) => [key, source[key] ?? null]),
  );
}

function runMerge(call: Call): JsonObject {
  const entries: [string, Json][] = [];
  for (const one of call.from(0)) {
    const own = isJsonObject(one) ? Object.entries(one) : [];
    call.meter.elements(own.length);
    for (const entry of own) entries.push(entry);
  }
  return Object.fromEntries(entries);
}

/** Returns the value under the key as written, else the value at a path of keys and indices. */
function runGet(call: Call): Json | undefined {
  const source = call.value(0);
  const isIndex = typeof call.value(1) === "number";
  const found = isIndex ? elementOf(call, source) : memberOf(call, source, call.text(1));
  return found ?? (call.count > 2 ? call.value(2) : found);
}

function elementOf(call: Call, source: Json | undefined): Json | undefined {
  return isJsonArray(source) ? source.at(call.whole(1)) : undefined;
}

function memberOf(call: Call, source: Json | undefined, key: string): Json | undefined {
  call.meter.characters(key.length);
  const own = isJsonObject(source) ? getOwn(source, key) : undefined;
  if (own !== undefined) return own;
  const path = parsePath(key);
  return path.ok ? walk(source, path.value.segments) : undefined;
}

export const OBJECT_FUNCTIONS: readonly FunctionEntry[] = [
  {
    name: "keys",
    parameters: [object()],
    about: "The keys of an object.",
    example: "keys({a: 1, b: 2})",
    gives: ["a", "b"],
    result: { kind: "list", items: TEXT },
    run: keysOf,
  },
  {
    name: "values",
    parameters: [object()],
    about: "The values of an object.",
    example: "values({a: 1, b: 2})",
    gives: [1, 2],
    result: { kind: "list", items: ANY },
    run: (call) => keysOf(call).map((key) => call.object(0)[key] ?? null),
  },
  {
    name: "entries",
    parameters: [object()],
    about: "The members of an object as a list of objects with key and value.",
    example: "entries({a: 1})",
    gives: [{ key: "a", value: 1 }],
    result: ENTRIES,
    run: (call) => keysOf(call).map((key) => ({ key, value: call.object(0)[key] ?? null })),
  },
  {
    name: "merge",
    parameters: [object(), rest(object("other"))],
    about: "All members of several objects in one; of equal keys the last counts.",
    example: "merge({a: 1, b: 2}, {b: 3})",
    gives: { a: 1, b: 3 },
    result: ANY_OBJECT,
    run: runMerge,
  },
  {
    name: "pick",
    parameters: [object(), oneOf("keys", "text", "list"), rest(text("key"))],
    about: "Only these keys of an object, given one by one or as a list.",
    example: "pick({a: 1, b: 2, c: 3}, 'a', 'c')",
    gives: { a: 1, c: 3 },
    result: ANY_OBJECT,
    run: (call) => kept(call, (isNamed) => isNamed),
  },
  {
    name: "omit",
    parameters: [object(), oneOf("keys", "text", "list"), rest(text("key"))],
    about: "An object without these keys, given one by one or as a list.",
    example: "omit({a: 1, b: 2}, ['b'])",
    gives: { a: 1 },
    result: ANY_OBJECT,
    run: (call) => kept(call, (isNamed) => !isNamed),
  },
  {
    name: "has",
    parameters: [nullable(object()), text("key")],
    about: "Whether an object has the key, also when its value is null; a missing object has none.",
    example: "has({a: null}, 'a')",
    gives: true,
    result: BOOLEAN,
    run: (call) => call.isObject(0) && Object.hasOwn(call.object(0), call.text(1)),
  },
  {
    name: "get",
    parameters: [
      nullable(oneOf("object or list", "object", "list")),
      oneOf("key", "text", "number"),
      optional(value("otherwise")),
    ],
    about:
      "The value under a key, an index or a path such as 'a.b[0]'; when there is none, or null, the third argument.",
    example: "get({a: {b: 1}}, 'a.c', 0)",
    gives: 0,
    result: ANY,
    run: runGet,
  },
];
