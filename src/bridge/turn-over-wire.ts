import { z } from "zod";
import { type CallRuling, type RoundReply, roundReplySchema, type TurnHooks } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { backoffMs } from "./peer-send.ts";
import type { TurnKind } from "./sent-turn.ts";
import type { TurnPosts } from "./turn-posts.ts";
import { callReplySchema } from "./wire.ts";
import { pause } from "./pause.ts";

export interface TurnWireOptions {
  readonly clock: Clock;
  readonly jitter: () => number;
}

/** An agent stands still meanwhile: a server that is back is found soon. */
const PAUSE_MS_MAX = 5_000;

/** The dispatch that reports. */
export interface TurnDispatch {
  readonly dispatchId: string;
  /** The server makes calls of it itself before it answers. */
  readonly isSlow: boolean;
}

/**
 * What the turn of one dispatch reports and asks, over HTTP. A server that cannot be reached is waited for, for as long as
 * the dispatch lasts: nothing is done that is not judged. Every request may be repeated; the server knows what it knows.
 */
export function turnOverWire(
  posts: TurnPosts,
  { dispatchId, isSlow }: TurnDispatch,
  options: TurnWireOptions,
): (signal: AbortSignal) => TurnHooks {
  return (signal) => {
    const post = <T>(kind: TurnKind, body: object, schema: z.ZodType<T>, isAlone = isSlow): Promise<T> =>
      exchange({ kind, send: () => posts.post({ kind, dispatchId, body, isAlone, signal }), signal, options }, schema);
    const ask: TurnHooks["tool"] = async (asked): Promise<CallRuling> => {
      for (;;) {
        const reply = await post("tool-call", asked, callReplySchema, isSlow || asked.waits === true);
        if (reply.disposition !== "wait") return reply;
      }
    };
    return {
      round: (report): Promise<RoundReply> => post("round-complete", report, roundReplySchema),
      tool: ask,
      toolResult: async (report) => {
        await post("tool-complete", report, ANYTHING);
      },
    };
  };
}

const ANYTHING = z.unknown();

interface Exchange {
  readonly kind: TurnKind;
  readonly send: () => ReturnType<TurnPosts["post"]>;
  readonly signal: AbortSignal;
  readonly options: TurnWireOptions;
}

async function exchange<T>({ kind, send, signal, options }: Exchange, schema: z.ZodType<T>): Promise<T> {
  const { clock, jitter } = options;
  for (let failures = 1; ; failures += 1) {
    if (signal.aborted) throw new Error("The dispatch has ended.");
    const { status, body, retryAfterMs } = await send();
    if (status !== null && status < 300) {
      const parsed = schema.safeParse(body);
      if (parsed.success) return parsed.data;
      throw new Error(`The server answered ${kind} in a way this Bridge does not understand.`);
    }
    if (status !== null && isFinal(status))
      throw new Error(`The server refused ${kind} (${status}): ${JSON.stringify(body).slice(0, 500)}`);
    await pause(clock, retryAfterMs ?? Math.min(PAUSE_MS_MAX, backoffMs(failures, jitter())), signal);
  }
}

/** A token may have changed, and a busy server may have time later; anything else will not change. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 425 && status !== 429;
}
