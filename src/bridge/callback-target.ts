import { z } from "zod";
import type { Clock, Stop } from "../clock/index.ts";
import type { PeerFailure, PeerReply } from "../outbound/index.ts";
import { backoffMs, retryAfterMs, type Send } from "./peer-send.ts";
import { CALLBACKS_PER_BATCH_MAX, GATEWAY_TOKEN_HEADER } from "./wire.ts";

/** A callback that is being delivered. */
export interface PendingCallback {
  readonly dispatchId: string;
  /** True when it must be sent in a request of its own, so that a callback that causes a server error delays no other. */
  isAlone: boolean;
  /** True when it was refused for its size, and a failure now replaces the result. */
  isReduced?: boolean;
  tries: number;
  /** Number of deliveries left. More than one only when an unreliable network is simulated. */
  timesLeft: number;
}

export interface TargetOptions {
  readonly clock: Clock;
  readonly send: Send;
  readonly token: () => string;
  /** A number in [0, 1). */
  readonly jitter: () => number;
  readonly textOf: (dispatchId: string) => string | undefined;
  /** Replaces a result that was refused for its size with a failure that gives this reason. False when there is no result. */
  readonly reduce: (dispatchId: string) => boolean;
  /** Called when the server has accepted the callback, or will never accept it; `problem` is then the reason. */
  readonly settle: (dispatchId: string, problem: string | null) => void;
}

export const BATCH_BYTES_MAX = 4 * 1_048_576;
const IN_FLIGHT_MAX = 4;
const REQUEST_MS = 30_000;
const REPLY_BYTES_MAX = 1_048_576;
/** Statuses that do not depend on the content: the token may have changed, or the server is busy. */
const TRY_AGAIN = new Set([401, 408, 429]);
const AWAY = new Set([502, 503, 504]);

const batchReplySchema = z.object({ results: z.array(z.object({ status: z.number().int() })) });

/** Delivers all callbacks of one callback URL. */
export class CallbackTarget {
  readonly #url: string;
  readonly #options: TargetOptions;
  readonly #timers = new Set<Stop>();
  #ready: PendingCallback[] = [];
  #inFlight = 0;
  /** Number of failures in a row without an answer from the server. */
  #failures = 0;
  /** Number of pauses so far. It lets requests that failed together count as one failure. */
  #pauses = 0;
  #stopPause: Stop | null = null;
  #takesBatches = true;
  #isPumpDue = false;
  #isClosed = false;

  constructor(url: string, options: TargetOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Adds a callback. All callbacks added in one turn of the event loop can be sent in one request. */
  add(callback: PendingCallback): void {
    this.#ready.push(callback);
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  /** Ends a pause and sends now, for example because the token has changed. */
  wake(): void {
    this.#stopPause?.();
    this.#stopPause = null;
    this.#pump();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPause?.();
    for (const stop of this.#timers) stop();
  }

  #pump(): void {
    // While the server does not answer, only one request at a time checks whether it is available again.
    while (!this.#isClosed && this.#stopPause === null && this.#ready.length > 0) {
      if (this.#inFlight >= (this.#failures > 0 ? 1 : IN_FLIGHT_MAX)) return;
      const load = this.#take();
      if (load.length > 0) void this.#post(load);
    }
  }

  #take(): readonly Load[] {
    const load: Load[] = [];
    let bytes = 0;
    while (this.#ready.length > 0 && load.length < CALLBACKS_PER_BATCH_MAX) {
      const callback = this.#ready[0];
      if (callback === undefined) break;
      const text = this.#options.textOf(callback.dispatchId);
      if (text === undefined) {
        this.#ready.shift();
        this.#options.settle(callback.dispatchId, "its text cannot be read back from the outbox");
        continue;
      }
      const isAlone = callback.isAlone || !this.#takesBatches;
      bytes += Buffer.byteLength(text);
      if (load.length > 0 && (isAlone || bytes > BATCH_BYTES_MAX)) break;
      this.#ready.shift();
      load.push({ callback, text });
      if (isAlone) break;
    }
    return load;
  }

  async #post(load: readonly Load[]): Promise<void> {
    const { send, token } = this.#options;
    const pauses = this.#pauses;
    const used = token();
    const [only] = load;
    const isBatch = load.length > 1;
    this.#inFlight += 1;
    const reply = await send(isBatch ? batchUrlOf(this.#url) : this.#url, {
      method: "POST",
      headers: { [GATEWAY_TOKEN_HEADER]: used },
      body: isBatch ? `{"callbacks":[${load.map(({ text }) => text).join(",")}]}` : (only?.text ?? ""),
      timeoutMs: REQUEST_MS,
      bytesMax: REPLY_BYTES_MAX,
    });
    this.#inFlight -= 1;
    if (this.#isClosed) return;
    const callbacks = load.map(({ callback }) => callback);
    // The token changed while the request was sent, so the retry with the new token needs no pause.
    if (reply.ok && reply.status === 401 && token() !== used) this.#ready.unshift(...callbacks);
    else if (!reply.ok || isForAll(reply)) this.#requeue(callbacks, reply, pauses);
    else {
      this.#failures = 0;
      if (isBatch) this.#takeBatchReply(callbacks, reply);
      else for (const callback of callbacks) this.#judge(callback, reply.status, reply.text);
    }
    this.#pump();
  }

  /** Puts callbacks back after a failure that was not their fault. All callbacks of this URL pause until the next try. */
  #requeue(callbacks: readonly PendingCallback[], reply: PeerReply | PeerFailure, pauses: number): void {
    const { clock, jitter } = this.#options;
    this.#ready.unshift(...callbacks);
    if (pauses !== this.#pauses) return;
    this.#pauses += 1;
    this.#failures += 1;
    const asked = reply.ok ? retryAfterMs(reply, clock.now()) : null;
    this.#stopPause?.();
    this.#stopPause = clock.after(asked ?? backoffMs(this.#failures, jitter()), () => {
      this.#stopPause = null;
      this.#pump();
    });
  }

  #takeBatchReply(callbacks: readonly PendingCallback[], { status, text }: PeerReply): void {
    if (status === 404 || status === 405) {
      this.#takesBatches = false;
      this.#ready.unshift(...callbacks);
      return;
    }
    const results = status < 300 ? resultsIn(text, callbacks.length) : null;
    for (const [index, callback] of callbacks.entries()) {
      const own = results?.[index];
      if (own !== undefined) this.#judge(callback, own.status, "");
      else if (status >= 500 || status < 300) this.#tryLater(callback);
      else {
        callback.isAlone = true;
        this.#ready.push(callback);
      }
    }
  }

  #judge(callback: PendingCallback, status: number, detail: string): void {
    const { settle } = this.#options;
    if (status >= 200 && status < 300) {
      settle(callback.dispatchId, null);
      callback.timesLeft -= 1;
      if (callback.timesLeft > 0) this.#ready.push(callback);
    } else if (status === 413 && callback.isReduced !== true && this.#options.reduce(callback.dispatchId)) {
      callback.isReduced = true;
      this.#ready.push(callback);
    } else if (status >= 400 && status < 500 && !TRY_AGAIN.has(status)) {
      settle(
        callback.dispatchId,
        `the server refused it with ${status}${detail === "" ? "" : `: ${detail.slice(0, 500)}`}`,
      );
    } else this.#tryLater(callback);
  }

  #tryLater(callback: PendingCallback): void {
    const { clock, jitter } = this.#options;
    callback.tries += 1;
    callback.isAlone = true;
    const stop = clock.after(backoffMs(callback.tries, jitter()), () => {
      this.#timers.delete(stop);
      this.#ready.push(callback);
      this.#pump();
    });
    this.#timers.add(stop);
  }
}

interface Load {
  readonly callback: PendingCallback;
  readonly text: string;
}

/** True when the answer applies to every callback: the token is wrong, or the server is busy or unavailable. */
function isForAll({ status, headers }: PeerReply): boolean {
  return TRY_AGAIN.has(status) || AWAY.has(status) || (status >= 500 && headers["retry-after"] !== undefined);
}

function resultsIn(text: string, count: number): readonly { readonly status: number }[] | null {
  try {
    const { results } = batchReplySchema.parse(JSON.parse(text));
    return results.length === count ? results : null;
  } catch {
    return null;
  }
}

function batchUrlOf(url: string): string {
  const batch = new URL(url);
  batch.pathname += "/batch";
  return batch.href;
}
