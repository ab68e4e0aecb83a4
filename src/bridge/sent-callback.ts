import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { camelCaseOf, unknownKeysWarning } from "./spelling.ts";
import { callbackSchema, reportedUsageSchema } from "./wire.ts";

/** A callback in the spelling of the wire, before it is checked. */
export interface SentCallback {
  readonly body: unknown;
  /** What was left out of it, for the reply and the log of the node. */
  readonly warnings: readonly string[];
}

const KEYS: ReadonlySet<string> = new Set(Object.keys(callbackSchema.shape));
/** Null is not "none" here: ids and status are needed, and a figure that is null comes from a broken meter. */
const NOT_NULL: ReadonlySet<string> = new Set([
  "dispatchId",
  "runId",
  "stepId",
  "attempt",
  "status",
  ...Object.keys(reportedUsageSchema.shape),
]);
/** Other names of the same figures, as Bridges write them that were built from the first description of this wire. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["cost", "costUsd"],
  ["taskId", "dispatchId"],
]);
/** The kind of event, which the route gives already. */
const NEEDLESS: ReadonlySet<string> = new Set(["type"]);
const PATHS: ReadonlyMap<unknown, string> = new Map([
  ["bridge", "async"],
  ["bridge-sync", "sync"],
  ["convex-native", "edge"],
]);
const EPOCH_MS_MAX = 8_640_000_000_000_000;

/**
 * Reads the spellings Bridges may use: snake_case, `cost`, `taskId`, times as epoch milliseconds or absent, the older
 * names of execution paths, outputs that are no object. Keys that mean nothing here are left out, and named.
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
  if (isJsonArray(body["logs"])) body["logs"] = body["logs"].map(logLine);
  return { body, warnings: unknown.length === 0 ? [] : [unknownKeysWarning("callback", unknown)] };
}

/** The same callback with what was left out as lines of its log, where people look who read the node. */
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
  const completed = instantOf(body["completedAt"]) ?? new Date(now).toISOString();
  body["completedAt"] = completed;
  body["startedAt"] = instantOf(body["startedAt"]) ?? completed;
}

/** Undefined when there is none; what is no time is left for the check to refuse. */
function instantOf(value: Json | undefined): Json | undefined {
  if (typeof value !== "number") return value;
  const isTime = Number.isFinite(value) && Math.abs(value) <= EPOCH_MS_MAX;
  return isTime ? new Date(value).toISOString() : value;
}

/** A Bridge that hands on what a model answered has a text or a list; it is read like any text that was answered. */
function readOutputs(body: Record<string, Json>): void {
  const { outputs } = body;
  if (body["stdout"] !== undefined) return;
  if (typeof outputs === "string") body["stdout"] = outputs;
  else if (isJsonArray(outputs)) body["stdout"] = JSON.stringify(outputs);
  else return;
  delete body["outputs"];
}

function logLine(line: Json): Json {
  return typeof line === "string" ? { level: "info", message: line } : line;
}
