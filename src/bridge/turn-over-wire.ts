import { z } from "zod";
import { type CallRuling, type RoundReply, roundReplySchema, type TurnHooks } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { backoffMs, retryAfterMs, type Send } from "./peer-send.ts";
import { callReplySchema, GATEWAY_TOKEN_HEADER, ROUND_PATH, TOOL_CALL_PATH, TOOL_RESULT_PATH } from "./wire.ts";

export interface TurnWireOptions {
  readonly clock: Clock;
  readonly send: Send;
  readonly token: () => string;
  readonly jitter: () => number;
}

/** Longer than a server lets a question about a person's answer wait. */
const REQUEST_MS = 40_000;
/** An agent stands still meanwhile: a server that is back is found soon. */
const PAUSE_MS_MAX = 5_000;
const REPLY_BYTES_MAX = 8 * 1_048_576;

/**
 * What the turn of one dispatch reports and asks, over HTTP. A server that cannot be reached is waited for, for as long as
 * the dispatch lasts: nothing is done that is not judged. Every request may be repeated; the server knows what it knows.
 */
export function turnOverWire(
  turnUrl: string,
  dispatchId: string,
  options: TurnWireOptions,
): (signal: AbortSignal) => TurnHooks {
  return (signal) => {
    const post = <T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> =>
      exchange({ url: `${turnUrl}${path}`, body: JSON.stringify({ dispatchId, ...body }), signal, options }, schema);
    const ask = async (body: object): Promise<CallRuling> => {
      for (;;) {
        const reply = await post(TOOL_CALL_PATH, body, callReplySchema);
        if (reply.disposition !== "wait") return reply;
      }
    };
    return {
      round: (report): Promise<RoundReply> => post(ROUND_PATH, report, roundReplySchema),
      tool: ask,
      toolResult: async (report) => {
        await post(TOOL_RESULT_PATH, report, ANYTHING);
      },
    };
  };
}

const ANYTHING = z.unknown();

interface Exchange {
  readonly url: string;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly options: TurnWireOptions;
}

async function exchange<T>({ url, body, signal, options }: Exchange, schema: z.ZodType<T>): Promise<T> {
  const { clock, send, token, jitter } = options;
  for (let failures = 1; ; failures += 1) {
    if (signal.aborted) throw new Error("The dispatch has ended.");
    const headers = { [GATEWAY_TOKEN_HEADER]: token(), "content-type": "application/json" };
    const reply = await send(url, {
      method: "POST",
      headers,
      body,
      signal,
      timeoutMs: REQUEST_MS,
      bytesMax: REPLY_BYTES_MAX,
    });
    if (reply.ok && reply.status < 300) {
      const parsed = schema.safeParse(JSON.parse(reply.text));
      if (parsed.success) return parsed.data;
      throw new Error(`The server answered ${url} in a way this Bridge does not understand.`);
    }
    if (reply.ok && isFinal(reply.status))
      throw new Error(`The server refused (${reply.status}): ${reply.text.slice(0, 500)}`);
    const asked = reply.ok ? retryAfterMs(reply, clock.now()) : null;
    await pause(clock, asked ?? Math.min(PAUSE_MS_MAX, backoffMs(failures, jitter())), signal);
  }
}

/** A token may have changed, and a busy server may have time later; anything else will not change. */
function isFinal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 425 && status !== 429;
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stop();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const stop = clock.after(ms, done);
    signal.addEventListener("abort", done);
  });
}
