import type { Json, JsonObject } from "../core/base/index.ts";
import { getOwn, isJsonArray, isJsonObject } from "../core/base/index.ts";
import type { CallRuling, Resume } from "./agent-turn.ts";
import type { AllowedCall } from "./turn-calls.ts";

/** The outcome of a call, in the form that the model receives. */
export interface CallOutcome {
  /** `denied`: the call was not made. `malformed`: its arguments are unusable, so it was neither judged nor made. */
  readonly kind: "result" | "error" | "denied" | "malformed";
  /** A text, unless `kind` is `result`. */
  readonly result: Json;
  /** Text to pass to the model with the result, because a person changed the args. */
  readonly note?: string;
}

/** A completed round of a turn: the message of the model and the outcomes of its calls. */
export interface TurnRound {
  readonly message: JsonObject;
  /** One outcome for each call of the message, in order. Empty when the message is an answer. */
  readonly outcomes: readonly CallOutcome[];
  /** The correction that was sent to the model after its answer was not accepted. */
  readonly correction?: string;
}

/** A call that can be judged, with its ruling and outcome as far as they are known. */
export interface OpenCall extends AllowedCall {
  readonly ruling?: CallRuling;
  readonly outcome?: CallOutcome;
}

/** A call of a message that cannot be used and is not sent to the judge. */
export interface MalformedCall {
  /** Position among all calls of the message. */
  readonly position: number;
  readonly reason: string;
}

/** The field of a reported message that contains its malformed calls. The `calls` of the report do not include them. */
const MALFORMED = "malformed";

export function withMalformed(message: JsonObject, malformed: readonly MalformedCall[]): JsonObject {
  if (malformed.length === 0) return message;
  return { ...message, [MALFORMED]: malformed.map(({ position, reason }) => ({ position, reason })) };
}

/**
 * Splits a reported message into the message and its malformed calls. Checks every field, because a person may have changed the message.
 */
export function splitMessage(reported: Json): { message: JsonObject; malformed: readonly MalformedCall[] } {
  if (!isJsonObject(reported)) return { message: { content: reported }, malformed: [] };
  const { [MALFORMED]: list, ...message } = reported;
  const malformed = (isJsonArray(list) ? list : []).flatMap((entry): MalformedCall[] => {
    if (!isJsonObject(entry)) return [];
    const [position, reason] = [getOwn(entry, "position"), getOwn(entry, "reason")];
    return typeof position === "number" && typeof reason === "string" ? [{ position, reason }] : [];
  });
  return { message, malformed };
}

/** Returns the outcomes of all calls of a message in order: those of the judged calls, with the malformed ones inserted. */
export function mergeOutcomes(
  asked: readonly CallOutcome[],
  malformed: readonly MalformedCall[],
): readonly CallOutcome[] {
  const reasons = new Map(malformed.map(({ position, reason }) => [position, reason]));
  const rest = [...asked];
  return Array.from({ length: asked.length + reasons.size }, (_, position): CallOutcome => {
    const reason = reasons.get(position);
    const next = reason === undefined ? rest.shift() : undefined;
    return next ?? { kind: "malformed", result: reason ?? "The call could not be read." };
  });
}

/** Returns the calls of a round from a dispatch, each with its known ruling and outcome. */
export function openCallsOf(
  { rounds, results }: Resume,
  round: number,
  malformed: readonly MalformedCall[],
): readonly OpenCall[] {
  const calls = rounds[round]?.calls ?? [];
  const places = placesOf(calls.length, malformed);
  return calls.map(({ callId, tool, server, args, ruling }, index) => {
    const known = Object.hasOwn(results, callId) ? results[callId] : undefined;
    return {
      callId,
      round,
      position: places[index] ?? index,
      tool,
      args,
      ...(server === undefined ? {} : { server }),
      ...(ruling === undefined ? {} : { ruling }),
      ...(known === undefined ? {} : { outcome: outcomeOf(known.result, known.isError, noteOf(ruling)) }),
    };
  });
}

/** Returns the positions of the judged calls among all calls of their message. */
function placesOf(count: number, malformed: readonly MalformedCall[]): readonly number[] {
  const taken = new Set(malformed.map(({ position }) => position));
  return Array.from({ length: count + taken.size }, (_, position) => position).filter((place) => !taken.has(place));
}

export function outcomeOf(result: Json, isError: boolean, note?: string): CallOutcome {
  return { kind: isError ? "error" : "result", result, ...(note === undefined ? {} : { note }) };
}

export function noteOf(ruling: CallRuling | undefined): string | undefined {
  return ruling?.disposition === "allow" ? ruling.note : undefined;
}
