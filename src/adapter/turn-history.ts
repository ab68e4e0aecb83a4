import type { Json, JsonObject } from "../core/base/index.ts";
import { getOwn, isJsonArray, isJsonObject } from "../core/base/index.ts";
import type { CallRuling, Resume } from "./agent-turn.ts";
import type { AllowedCall } from "./turn-calls.ts";

/** What came of a call, as it is given to the model. */
export interface CallOutcome {
  /** `denied`: it was not made. `malformed`: nor was it asked about, because nothing could be called with its arguments. */
  readonly kind: "result" | "error" | "denied" | "malformed";
  /** A text for everything but a result. */
  readonly result: Json;
  /** To be given to the model with the result: a person has changed the args. */
  readonly note?: string;
}

/** A round of a turn that is over: the message of the model, and what came of the calls in it. */
export interface TurnRound {
  readonly message: JsonObject;
  /** One for each call of the message, in its order; empty: the message is an answer. */
  readonly outcomes: readonly CallOutcome[];
  /** What the model was asked after an answer that was not accepted. */
  readonly correction?: string;
}

/** A call that was asked about or is to be, before anything came of it. */
export interface OpenCall extends AllowedCall {
  readonly ruling?: CallRuling;
  readonly outcome?: CallOutcome;
}

/** A call of a message that no judge is asked about. */
export interface MalformedCall {
  /** Among all calls of the message. */
  readonly position: number;
  readonly reason: string;
}

/** Where a reported message keeps its malformed calls: those that are reported do not contain them. */
const MALFORMED = "malformed";

export function withMalformed(message: JsonObject, malformed: readonly MalformedCall[]): JsonObject {
  if (malformed.length === 0) return message;
  return { ...message, [MALFORMED]: malformed.map(({ position, reason }) => ({ position, reason })) };
}

/** The two parts of a message as it was reported. Whatever a person has made of it since is read with care. */
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

/** The outcomes of all calls of a message, in its order: those of calls that were asked about, and the malformed ones between. */
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

/** The calls of a round as a dispatch carries them, with what is known of each. */
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

/** Where the calls that can be asked about stand among all calls of their message. */
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
