import { randomUUID } from "node:crypto";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { sentDispatchSchema } from "./bridge-body.ts";
import { camelCaseOf, unknownKeysWarning } from "./spelling.ts";

/** A received dispatch with normalised keys and all defaults, before it is checked. */
export interface SentDispatch {
  readonly body: Json;
  readonly warnings: readonly string[];
}

const KEYS: ReadonlySet<string> = new Set(Object.keys(sentDispatchSchema.shape));
const CONTEXT_KEYS = ["runId", "workflow", "phase", "upstreamDigest"] as const;
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["taskId", "dispatchId"],
  ["command", "message"],
]);
/** A timeout in seconds, as in workflow files. `timeoutMs` has priority. */
const TIMEOUT = "timeout";
const TIMEOUT_MS = 600_000;
const STEP = "step";
const AGENT = "default";

/**
 * Reads a full dispatch or the short form `{command, stdin?, context?, timeout?, callbackUrl}`. Missing fields get
 * defaults, and unknown keys are named in a warning. `defaultProvider` is null when the Bridge has no adapter.
 */
export function readSentDispatch(sent: Json, defaultProvider: string | null): SentDispatch {
  if (!isJsonObject(sent)) return { body: sent, warnings: [] };
  const given: Record<string, Json> = {};
  const unknown: string[] = [];
  const later: (readonly [string, string, Json])[] = [];
  for (const [key, value] of Object.entries(sent)) {
    if (KEYS.has(key)) given[key] = value;
    else later.push([key, camelCaseOf(key), value]);
  }
  for (const [key, name, value] of later) {
    const own = ALIASES.get(name) ?? name;
    if (own === TIMEOUT) given["timeoutMs"] ??= inMilliseconds(value);
    else if (!KEYS.has(own)) unknown.push(key);
    // A server that does not know the receiver may send both spellings of a key. The first value counts.
    else given[own] ??= value;
  }
  const context = isJsonObject(given["context"]) ? given["context"] : {};
  unknown.push(...unknownContextKeys(given["context"]));
  const dispatchId = given["dispatchId"] ?? randomUUID();
  const runId = given["runId"] ?? context["runId"] ?? dispatchId;
  const body: Record<string, Json> = {
    stepId: STEP,
    attempt: 1,
    idempotencyKey: dispatchId,
    agentId: AGENT,
    inputs: {},
    outputStrategy: "text",
    timeoutMs: TIMEOUT_MS,
    effects: "at_least_once",
    ...(defaultProvider === null ? {} : { provider: defaultProvider }),
    ...given,
    dispatchId,
    runId,
    context: { runId, workflow: "", phase: null, upstreamDigest: null, ...known(context) },
  };
  if (isJsonArray(given["tools"])) body["tools"] = given["tools"].map(toolName);
  return { body, warnings: unknown.length === 0 ? [] : [unknownKeysWarning("dispatch", unknown)] };
}

function inMilliseconds(seconds: Json): Json {
  return typeof seconds === "number" ? seconds * 1_000 : seconds;
}

function known(context: JsonObject): JsonObject {
  return Object.fromEntries(CONTEXT_KEYS.flatMap((key) => (context[key] === undefined ? [] : [[key, context[key]]])));
}

function unknownContextKeys(context: Json | undefined): readonly string[] {
  if (context === undefined || context === null) return [];
  if (!isJsonObject(context)) return ["context"];
  const names: readonly string[] = CONTEXT_KEYS;
  return Object.keys(context).flatMap((key) => (names.includes(key) ? [] : [`context.${key}`]));
}

/** Returns the name of a tool. The protocol uses names only, so the name is taken from a full specification. */
function toolName(tool: Json): Json {
  return isJsonObject(tool) && typeof tool["name"] === "string" ? tool["name"] : tool;
}
