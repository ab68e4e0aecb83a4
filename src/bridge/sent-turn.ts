import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { askedCallSchema, ROUND_ENDS } from "../core/event/index.ts";
import { camelCaseOf, unknownKeysWarning } from "./spelling.ts";
import { sentCallSchema, sentResultSchema, sentRoundSchema } from "./wire.ts";

/** The kinds of reports and ruling requests of a turn, named like the last part of their route. */
export const TURN_KINDS = ["round-complete", "tool-call", "tool-complete"] as const;
export type TurnKind = (typeof TURN_KINDS)[number];

/** A received report of a turn after its keys were normalised, before it is checked. */
export interface SentTurn {
  readonly body: unknown;
  /** Warnings about keys that were left out, for the reply and the log of the node. */
  readonly warnings: readonly string[];
}

type Names = ReadonlyMap<string, string>;

interface Spelling {
  readonly keys: ReadonlySet<string>;
  /** Other names of the fields, as used by model APIs and in the events of a turn. */
  readonly aliases: Names;
}

const CALL_NAMES: readonly (readonly [string, string])[] = [
  ["name", "tool"],
  ["toolName", "tool"],
  ["arguments", "args"],
  ["input", "args"],
  ["annotations", "hints"],
];
const ID_NAMES: readonly (readonly [string, string])[] = [
  ["taskId", "dispatchId"],
  ["nodeId", "stepId"],
];

const SPELLINGS: Readonly<Record<TurnKind, Spelling>> = {
  "round-complete": {
    keys: new Set(Object.keys(sentRoundSchema.shape)),
    aliases: new Map([...ID_NAMES, ["cost", "costUsd"], ["toolCalls", "calls"], ["finishReason", "finish"]]),
  },
  "tool-call": { keys: new Set(Object.keys(sentCallSchema.shape)), aliases: new Map([...ID_NAMES, ...CALL_NAMES]) },
  "tool-complete": {
    keys: new Set(Object.keys(sentResultSchema.shape)),
    aliases: new Map([...ID_NAMES, ["output", "result"]]),
  },
};
const CALL: Spelling = {
  keys: new Set([...Object.keys(askedCallSchema.shape), "callId"]),
  aliases: new Map(CALL_NAMES),
};

/** Fields that are ignored without a warning, because the route or the call id already contains them. */
const NEEDLESS: Readonly<Record<TurnKind, ReadonlySet<string>>> = {
  "round-complete": new Set(["type"]),
  "tool-call": new Set(["type", "round", "position"]),
  "tool-complete": new Set(["type", "round", "position", "tool"]),
};
const NONE: ReadonlySet<string> = new Set();

/** Reasons for the end of an answer, as model APIs name them. */
const ENDS: Names = new Map([
  ["tool_use", "tool_calls"],
  ["function_call", "tool_calls"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["content_filter", "refusal"],
]);

const MICROS_PER_USD = 1_000_000;

/**
 * Normalises the spellings that Bridges may use in reports of a turn: snake_case, the names of model APIs for calls and
 * for the end of an answer, cost in micros, arguments as JSON text. Unknown keys are left out and named in a warning.
 */
export function readSentTurn(kind: TurnKind, sent: unknown): SentTurn {
  if (!isJsonObject(sent as Json)) return { body: sent, warnings: [] };
  const unknown: string[] = [];
  const given = kind === "round-complete" ? inUsd(sent as JsonObject) : (sent as JsonObject);
  const body = respell(given, SPELLINGS[kind], NEEDLESS[kind], unknown, "");
  if (kind === "round-complete") readRound(body, unknown);
  else if (kind === "tool-call") readCall(body);
  else readResult(body);
  return { body, warnings: unknown.length === 0 ? [] : [unknownKeysWarning("report", unknown)] };
}

function respell(
  given: JsonObject,
  { keys, aliases }: Spelling,
  needless: ReadonlySet<string>,
  unknown: string[],
  place: string,
): Record<string, Json> {
  const body: Record<string, Json> = {};
  for (const [key, value] of Object.entries(given)) if (keys.has(key)) body[key] = value;
  for (const [key, value] of Object.entries(given)) {
    if (keys.has(key)) continue;
    const name = camelCaseOf(key);
    const known = keys.has(name) ? name : aliases.get(name);
    if (known !== undefined && !Object.hasOwn(body, known)) body[known] = value;
    else if (!needless.has(name)) unknown.push(`${place}${key}`);
  }
  return body;
}

/** Converts a cost in micro-dollars, as in the events of a turn, to dollars, as in reports. */
function inUsd(given: JsonObject): JsonObject {
  const { costMicros, cost_micros: snake, ...rest } = given;
  const micros = costMicros ?? snake;
  if (typeof micros !== "number" || Object.hasOwn(rest, "costUsd") || Object.hasOwn(rest, "cost_usd")) return given;
  return { ...rest, costUsd: micros / MICROS_PER_USD };
}

function readRound(body: Record<string, Json>, unknown: string[]): void {
  const { calls, finish, text } = body;
  if (isJsonArray(calls)) {
    body["calls"] = calls.map((call, index) => {
      if (!isJsonObject(call)) return call;
      const read = respell(call, CALL, NONE, unknown, `calls[${index}].`);
      readCall(read);
      return read;
    });
  }
  if (finish === undefined || finish === null)
    body["finish"] = isJsonArray(calls) && calls.length > 0 ? "tool_calls" : "stop";
  else if (typeof finish === "string") body["finish"] = endOf(finish);
  // Without the whole message, the turn can only continue from its text.
  if (body["message"] === undefined) body["message"] = { role: "assistant", content: text ?? "" };
}

function endOf(finish: string): string {
  const word = finish.replaceAll("-", "_");
  const known = ENDS.get(word) ?? word;
  return (ROUND_ENDS as readonly string[]).includes(known) ? known : "other";
}

function readCall(call: Record<string, Json>): void {
  const { args, hints } = call;
  if (args === undefined || args === null) call["args"] = {};
  else if (typeof args === "string") call["args"] = parsed(args);
  if (call["server"] === null) delete call["server"];
  if (!isJsonObject(hints ?? null)) return;
  const { readOnly, readOnlyHint = readOnly, destructive, destructiveHint = destructive } = hints as JsonObject;
  call["hints"] = {
    ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
  };
}

/** Parses JSON text. Invalid text is returned unchanged, and the schema refuses it later. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text === "" ? "{}" : text) as Json;
  } catch {
    return text;
  }
}

function readResult(body: Record<string, Json>): void {
  const { error } = body;
  delete body["error"];
  if (typeof error === "string" && body["result"] === undefined) Object.assign(body, { result: error, isError: true });
  else if (body["result"] === undefined) body["result"] = null;
}

const KINDS: ReadonlyMap<unknown, TurnKind> = new Map([
  ["round-complete", "round-complete"],
  ["round.completed", "round-complete"],
  ["tool-call", "tool-call"],
  ["tool.requested", "tool-call"],
  ["tool-complete", "tool-complete"],
  ["tool.completed", "tool-complete"],
]);

/** Returns the kind of a report in a batch. Null for a callback, which has a status. */
export function turnKindOf(sent: Json): TurnKind | null {
  if (!isJsonObject(sent)) return null;
  const named = KINDS.get(sent["type"]);
  if (named !== undefined) return named;
  if (sent["status"] !== undefined) return null;
  if (sent["callId"] === undefined && sent["call_id"] === undefined)
    return sent["round"] === undefined ? null : "round-complete";
  const isAsked = ["args", "arguments", "input"].some((key) => sent[key] !== undefined);
  return isAsked ? "tool-call" : "tool-complete";
}
