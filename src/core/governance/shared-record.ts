import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../base/index.ts";

/** Returns the shared value of a name, or undefined when the name is unknown. */
type Look = (name: string) => Json | undefined;

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
export function expandRecord(body: JsonObject, look: Look): JsonObject {
  const facts = getOwn(body, "facts");
  const whole = replaced(body, { trail: one(look), policies: one(look) });
  if (!isJsonObject(facts)) return whole;
  return { ...whole, facts: replaced(facts, FACTS(look)) };
}

type Expand = (value: Json) => Json;

const FACTS = (look: Look): Readonly<Record<string, Expand>> => ({
  gateway: one(look),
  agent: one(look),
  node: one(look),
  agentBudget: budget(look),
  envelopes: each(budget(look)),
  policies: each(one(look)),
});

function replaced(value: JsonObject, members: Readonly<Record<string, Expand>>): JsonObject {
  const entries = Object.entries(value).map(([name, member]) => [name, getOwn(members, name)?.(member) ?? member]);
  return Object.fromEntries(entries) as JsonObject;
}

/** Resolves a name. No shared fact is itself a string, so a string is always a name. */
function one(look: Look): Expand {
  return (value) => (typeof value === "string" ? (look(value) ?? value) : value);
}

function each(expand: Expand): Expand {
  return (value) => (isJsonArray(value) ? value.map(expand) : value);
}

function budget(look: Look): Expand {
  return (value) => {
    const shared = isJsonObject(value) ? getOwn(value, "shared") : undefined;
    if (shared === undefined || !isJsonObject(value)) return value;
    const { shared: _, ...own } = value;
    const rest = one(look)(shared);
    return isJsonObject(rest) ? { ...rest, ...own } : value;
  };
}
