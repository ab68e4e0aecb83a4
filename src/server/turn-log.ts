import type { TurnView } from "../contract/index.ts";
import { digestText, type Json, type JsonObject } from "../core/base/index.ts";
import { callIdOf } from "../core/engine/index.ts";
import type { AskedCall, EventOf, LargeValue, RunEvent } from "../core/event/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { LARGE_BYTES_MIN } from "./frame-text.ts";

type Round = TurnView["rounds"][number];
type Call = Round["calls"][number];

const PREVIEW_LENGTH = 2_048;

/** The work of an agent in the present epoch of its node, read from the log of the run. */
export class TurnLog {
  readonly #runId: string;
  readonly #node: { readonly id: string; readonly epoch: number };
  #rounds = new Map<number, Omit<Round, "calls">>();
  #calls = new Map<string, { readonly round: number; readonly call: Call }>();

  constructor(runId: string, node: { readonly id: string; readonly epoch: number }) {
    this.#runId = runId;
    this.#node = { id: node.id, epoch: node.epoch };
  }

  take(event: RunEvent): void {
    if (!("nodeId" in event.payload) || event.payload.nodeId !== this.#node.id) return;
    switch (event.type) {
      case "round.completed":
        return this.#round(event);
      case "tool.requested":
        return this.#requested(event);
      case "tool.decided":
        return this.#decided(event);
      case "tool.completed":
        return this.#completed(event);
      default:
    }
  }

  /** Returns the rounds in order. A round whose calls were logged before its report is included without the report. */
  rounds(): readonly Round[] {
    const numbers = new Set([...this.#rounds.keys(), ...[...this.#calls.values()].map(({ round }) => round)]);
    return [...numbers]
      .sort((left, right) => left - right)
      .map((number) => ({
        ...(this.#rounds.get(number) ?? unreported(number)),
        calls: [...this.#calls.values()].filter(({ round }) => round === number).map(({ call }) => call),
      }));
  }

  #round({ at, payload }: EventOf<"round.completed">): void {
    const { round, segment, attempt = null, model, finish, text, inputTokens, outputTokens, costMicros } = payload;
    // Round numbers increase across attempts, so a repeated number means a new epoch.
    if (this.#rounds.has(round)) {
      this.#rounds = new Map();
      this.#calls = new Map();
    }
    const { carried: isCarried = false, by = null } = payload;
    const used = { model, inputTokens, outputTokens, costMicros, isCarried, by };
    this.#rounds.set(round, { round, attempt, segment, at: isoFromEpochMs(at), finish, text, ...used });
    for (const [position, call] of payload.calls.entries()) {
      const callId = callIdOf({ runId: this.#runId }, this.#node, round, position);
      if (!this.#calls.has(callId)) this.#calls.set(callId, { round, call: unjudged(callId, call) });
    }
  }

  #requested({ payload }: EventOf<"tool.requested">): void {
    const { callId, round, action, effects } = payload;
    if (!callId.startsWith(`${this.#runId}/${this.#node.id}/${this.#node.epoch}/`)) return;
    this.#calls.set(callId, { round, call: { ...unjudged(callId, payload), action, effects } });
  }

  #decided({ payload }: EventOf<"tool.decided">): void {
    const { callId, disposition, gate = null, code = null, reason = null, verdictId, isUnknown = false } = payload;
    const known = this.#calls.get(callId);
    // The event concerns a call with other args, so it does not apply to this call.
    if (known === undefined || payload.isOther === true) return;
    const { round, call } = known;
    const { approvalId = call.approvalId, args } = payload;
    const changed = args === undefined ? {} : { args: shownMembers(args, callId), askedArgs: call.args };
    const verdict = { disposition, gate, code, reason, verdictId };
    this.#calls.set(callId, { round, call: { ...call, ...changed, verdict, approvalId, isUnknown } });
  }

  #completed({ at, payload }: EventOf<"tool.completed">): void {
    const { callId, isError, durationMs, by = null } = payload;
    const known = this.#calls.get(callId);
    if (known === undefined) return;
    const value = shown(payload.result, `${callId}.result`);
    const result = { value, isError, durationMs, by, at: isoFromEpochMs(at) };
    const { verdict } = known.call;
    // A person was asked what became of the call, and that is known now.
    const settled = verdict?.disposition === "hold" ? { verdict: { ...ALLOWED, verdictId: verdict.verdictId } } : {};
    this.#calls.set(callId, { ...known, call: { ...known.call, ...settled, isUnknown: false, result } });
  }
}

const ALLOWED = { disposition: "allow", gate: null, code: null, reason: null } as const;

function unreported(round: number): Omit<Round, "calls"> {
  const used = { model: null, inputTokens: 0, outputTokens: 0, costMicros: 0, isCarried: false, by: null };
  return { round, attempt: null, segment: 0, at: null, finish: null, text: "", ...used };
}

function unjudged(callId: string, { tool, server, args }: Pick<AskedCall, "tool" | "args" | "server">): Call {
  return {
    callId,
    tool,
    server: server ?? null,
    args: shownMembers(args, callId),
    askedArgs: null,
    action: null,
    effects: null,
    verdict: null,
    approvalId: null,
    isUnknown: false,
    result: null,
  };
}

function shownMembers(values: JsonObject, ref: string): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown(value, `${ref}.args.${name}`)]));
}

function shown(value: Json, ref: string): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGE_BYTES_MIN) return value;
  const sha256 = digestText(text).replace("sha256:", "");
  return { $ref: ref, bytes, sha256, preview: text.slice(0, PREVIEW_LENGTH) } satisfies LargeValue;
}
