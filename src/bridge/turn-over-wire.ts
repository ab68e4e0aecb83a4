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

/** Maximum pause between tries. It is short because the agent cannot continue until the server answers. */
const PAUSE_MS_MAX = 5_000;

/** The dispatch that sends the reports. */
export interface TurnDispatch {
  readonly dispatchId: string;
  /** True when the server itself makes some calls of this turn before it answers. */
  readonly isSlow: boolean;
}

/**
 * Returns the hooks that report the turn of one dispatch over HTTP. While the server cannot be reached, they retry
 * until the dispatch ends, so that no call is made without a ruling. Every request can be repeated safely.
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

/** True when a retry cannot help. A token may change and a busy server may recover, so those statuses are not final. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 425 && status !== 429;
}
