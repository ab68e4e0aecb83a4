import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";

/** Returns the shared value of a name, or undefined when the name is unknown. */
type ResolveShared = (name: string) => Json | undefined;

/** Returns the names in the body of a verdict that replace shared texts. */
export function sharedNames(body: JsonObject): readonly string[] {
  const names: string[] = [];
  expandRecord(body, (name) => {
    names.push(name);
    return undefined;
  });
  return names;
}

/** Returns the body with every name replaced by its shared value. Members keep their order. */
export function expandRecord(body: JsonObject, resolve: ResolveShared): JsonObject {
  const facts = getOwn(body, "facts");
  const whole = replaced(body, { trail: expandName(resolve), policies: expandName(resolve) });
  if (!isJsonObject(facts)) return whole;
  return { ...whole, facts: replaced(facts, FACTS(resolve)) };
}

type Expand = (value: Json) => Json;

const FACTS = (resolve: ResolveShared): Readonly<Record<string, Expand>> => ({
  gateway: expandName(resolve),
  agent: expandName(resolve),
  node: expandName(resolve),
  agentBudget: budget(resolve),
  envelopes: each(budget(resolve)),
  policies: each(expandName(resolve)),
});

function replaced(value: JsonObject, members: Readonly<Record<string, Expand>>): JsonObject {
  const entries = Object.entries(value).map(([name, member]) => [name, getOwn(members, name)?.(member) ?? member]);
  return Object.fromEntries(entries) as JsonObject;
}

/** Resolves a name. No shared fact is itself a string, so a string is always a name. */
function expandName(resolve: ResolveShared): Expand {
  return (value) => (typeof value === "string" ? (resolve(value) ?? value) : value);
}

function each(expand: Expand): Expand {
  return (value) => (isJsonArray(value) ? value.map(expand) : value);
}

function budget(resolve: ResolveShared): Expand {
  return (value) => {
    const shared = isJsonObject(value) ? getOwn(value, "shared") : undefined;
    if (shared === undefined || !isJsonObject(value)) return value;
    const { shared: _, ...own } = value;
    const rest = expandName(resolve)(shared);
    return isJsonObject(rest) ? { ...rest, ...own } : value;
  };
}
