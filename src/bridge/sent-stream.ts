import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { camelCaseOf, unknownKeysWarning } from "./spelling.ts";
import { streamSchema } from "./wire.ts";

/** Received partials after their keys were normalised, before they are checked. */
export interface SentStream {
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** Besides the fields of the schema: what may name the dispatch instead of its id. */
const KEYS: ReadonlySet<string> = new Set([...Object.keys(streamSchema.shape), "runId", "stepId", "attempt"]);
const ALIASES: ReadonlyMap<string, string> = new Map([["taskId", "dispatchId"]]);
const NEEDLESS: ReadonlySet<string> = new Set(["type"]);

/** Normalises the spellings that Bridges may use for partials, as for callbacks: snake_case and `taskId`. */
export function readSentStream(sent: unknown): SentStream {
  if (!isJsonObject(sent as Json)) return { body: sent, warnings: [] };
  const body: Record<string, Json> = {};
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(sent as JsonObject)) {
    const name = ALIASES.get(camelCaseOf(key)) ?? camelCaseOf(key);
    if (KEYS.has(name)) body[name] ??= value;
    else if (!NEEDLESS.has(name)) unknown.push(key);
  }
  return { body, warnings: unknown.length === 0 ? [] : [unknownKeysWarning("request", unknown)] };
}
