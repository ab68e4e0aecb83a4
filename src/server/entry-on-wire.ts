import type { Registered } from "../contract/index.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { RegisteredKind } from "../registry/index.ts";
import type { Entry } from "../store/index.ts";

/** Maps whose keys and values are chosen by the author. */
const OWN_VALUES: ReadonlySet<string> = new Set(["args", "with", "role_bindings", "match", "input", "output"]);
/** Maps whose keys are chosen by the author, with values of a known shape. */
const OWN_KEYS: ReadonlySet<string> = new Set(["fields", "schema", "inputs", "outputs"]);

/** Returns an entry in the form of the API: the written fields in camelCase, beside its id. Secrets are not part of an entry. */
export function entryOnWire(kind: RegisteredKind, entry: Entry): Registered {
  const { id, revision, body, createdAt, updatedAt } = entry;
  // A built-in entry has no time of creation.
  const moment = (at: number): string | null => (revision === 0 ? null : isoFromEpochMs(at));
  return {
    id,
    revision,
    createdAt: moment(createdAt),
    updatedAt: moment(updatedAt),
    ...camelMap(kind === "Agent" ? withPhaseSince(body) : body),
  };
}

function withPhaseSince({ phase_since: since, ...rest }: JsonObject): JsonObject {
  return { ...rest, phase_since: typeof since === "number" && since > 0 ? isoFromEpochMs(since) : null };
}

function camelMap(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [camelCase(key), camelMember(key, value)]));
}

function camelMember(key: string, value: Json): Json {
  if (OWN_VALUES.has(key)) return value;
  if (OWN_KEYS.has(key) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, camelValue(member)]));
  }
  return camelValue(value);
}

function camelValue(value: Json): Json {
  if (isJsonArray(value)) return value.map(camelValue);
  return isJsonObject(value) ? camelMap(value) : value;
}

function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
