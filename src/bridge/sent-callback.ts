import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { instantOf } from "./sent-instant.ts";
import { readLogs } from "./sent-logs.ts";
import { camelCaseOf, unknownKeysWarning } from "./spelling.ts";
import { callbackSchema, reportedUsageSchema } from "./wire.ts";

/** A received callback after its keys were normalised, before it is checked. */
export interface SentCallback {
  readonly body: unknown;
  /** Warnings about keys that were left out, for the reply and the log of the node. */
  readonly warnings: readonly string[];
}

const KEYS: ReadonlySet<string> = new Set(Object.keys(callbackSchema.shape));
/** Fields for which null does not mean "absent": ids and status are required, and a null usage number is an error. */
const NOT_NULL: ReadonlySet<string> = new Set([
  "dispatchId",
  "runId",
  "stepId",
  "attempt",
  "status",
  ...Object.keys(reportedUsageSchema.shape),
]);
/** Other names of some fields, used by Bridges that follow the first description of this protocol. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["cost", "costUsd"],
  ["taskId", "dispatchId"],
]);
/** Fields that are ignored without a warning. The route already determines the kind of event. */
const NEEDLESS: ReadonlySet<string> = new Set(["type"]);
const PATHS: ReadonlyMap<unknown, string> = new Map([
  ["bridge", "async"],
  ["bridge-sync", "sync"],
  ["convex-native", "edge"],
]);

/**
 * Normalises the spellings that Bridges may use: snake_case, `cost`, `taskId`, times as epoch milliseconds or absent,
 * the older names of execution paths, outputs that are no object. Unknown keys are left out and named in a warning.
 */
export function readSentCallback(sent: unknown, now: number): SentCallback {
  if (!isJsonObject(sent as Json)) return { body: sent, warnings: [] };
  const given = sent as JsonObject;
  const body: Record<string, Json> = {};
  const unknown: string[] = [];
  const later: (readonly [string, string, Json])[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (KEYS.has(key)) put(body, key, value);
    else later.push([key, ALIASES.get(camelCaseOf(key)) ?? camelCaseOf(key), value]);
  }
  for (const [key, name, value] of later) {
    if (NEEDLESS.has(name)) continue;
    if (KEYS.has(name) && !Object.hasOwn(body, name)) put(body, name, value);
    else unknown.push(key);
  }
  readTimes(body, now);
  const path = PATHS.get(body["executionPath"]);
  if (path !== undefined) body["executionPath"] = path;
  readOutputs(body);
  if (body["logs"] !== undefined) body["logs"] = readLogs(body["logs"]);
  return { body, warnings: unknown.length === 0 ? [] : [unknownKeysWarning("callback", unknown)] };
}

/** Adds the warnings to the log of the callback, where people who inspect the node see them. */
export function withWarnings<T extends { readonly logs?: readonly object[] | undefined }>(
  body: T,
  warnings: readonly string[],
): T {
  if (warnings.length === 0) return body;
  return { ...body, logs: [...(body.logs ?? []), ...warnings.map((message) => ({ level: "warning", message }))] };
}

function put(body: Record<string, Json>, key: string, value: Json): void {
  if (value !== null || NOT_NULL.has(key)) body[key] = value;
}

function readTimes(body: Record<string, Json>, now: number): void {
  // Any other value stays, for the schema to refuse it.
  const completed = instantOf(body["completedAt"]) ?? body["completedAt"] ?? new Date(now).toISOString();
  body["completedAt"] = completed;
  body["startedAt"] = instantOf(body["startedAt"]) ?? body["startedAt"] ?? completed;
}

/** Moves outputs that are a text or a list to `stdout`, because such a Bridge passes on a model's unparsed answer. */
function readOutputs(body: Record<string, Json>): void {
  const { outputs } = body;
  if (body["stdout"] !== undefined) return;
  if (typeof outputs === "string") body["stdout"] = outputs;
  else if (isJsonArray(outputs)) body["stdout"] = JSON.stringify(outputs);
  else return;
  delete body["outputs"];
}
