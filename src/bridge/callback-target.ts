import { z } from "zod";
import type { Clock, Stop } from "../clock/index.ts";
import type { PeerFailure, PeerReply } from "../outbound/index.ts";
import { backoffMs, retryAfterMs, type Send } from "./peer-send.ts";
import { CALLBACKS_PER_BATCH_MAX, GATEWAY_TOKEN_HEADER } from "./wire.ts";

/** A callback on its way. */
export interface Parcel {
  readonly dispatchId: string;
  /** Sent by itself, so that a callback the server stumbles over holds up no other. */
  isAlone: boolean;
  /** It was refused for its size, and stands now for what could not be sent. */
  isReduced?: boolean;
  tries: number;
  /** Deliveries still wanted: more than one only when a bad network is simulated. */
  timesLeft: number;
}

export interface TargetOptions {
  readonly clock: Clock;
  readonly send: Send;
  readonly token: () => string;
  /** A number in [0, 1). */
  readonly jitter: () => number;
  readonly textOf: (dispatchId: string) => string | undefined;
  /** Replaces a result that is refused for its size by a failure with that reason; false: there is none to replace. */
  readonly reduce: (dispatchId: string) => boolean;
  /** The server has it, or will never take it; `problem`: why not. */
  readonly settle: (dispatchId: string, problem: string | null) => void;
}

export const BATCH_BYTES_MAX = 4 * 1_048_576;
const IN_FLIGHT_MAX = 4;
const REQUEST_MS = 30_000;
const REPLY_BYTES_MAX = 1_048_576;
/** Refused, but not for its content: keys rotate, servers are busy. */
const TRY_AGAIN = new Set([401, 408, 429]);
const AWAY = new Set([502, 503, 504]);

const batchReplySchema = z.object({ results: z.array(z.object({ status: z.number().int() })) });

/** Everything that goes to one callback URL. */
export class CallbackTarget {
  readonly #url: string;
  readonly #options: TargetOptions;
  readonly #timers = new Set<Stop>();
  #ready: Parcel[] = [];
  #inFlight = 0;
  /** Requests in a row that no server answered. */
  #failures = 0;
  /** Counts pauses, so that requests that failed together count once. */
  #pauses = 0;
  #stopPause: Stop | null = null;
  #takesBatches = true;
  #isPumpDue = false;
  #isClosed = false;

  constructor(url: string, options: TargetOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Everything added in one turn of the event loop can go in one request. */
  add(parcel: Parcel): void {
    this.#ready.push(parcel);
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  /** Tries again now, for instance because the token has changed. */
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
    // While no server answers, one request at a time tries whether it is back.
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
      const parcel = this.#ready[0];
      if (parcel === undefined) break;
      const text = this.#options.textOf(parcel.dispatchId);
      if (text === undefined) {
        this.#ready.shift();
        this.#options.settle(parcel.dispatchId, "its text cannot be read back from the outbox");
        continue;
      }
      const isAlone = parcel.isAlone || !this.#takesBatches;
      bytes += Buffer.byteLength(text);
      if (load.length > 0 && (isAlone || bytes > BATCH_BYTES_MAX)) break;
      this.#ready.shift();
      load.push({ parcel, text });
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
    const parcels = load.map(({ parcel }) => parcel);
    // Refused only because the token changed on the way: the new one needs no pause.
    if (reply.ok && reply.status === 401 && token() !== used) this.#ready.unshift(...parcels);
    else if (!reply.ok || isForAll(reply)) this.#giveBack(parcels, reply, pauses);
    else {
      this.#failures = 0;
      if (isBatch) this.#takeBatchReply(parcels, reply);
      else for (const parcel of parcels) this.#judge(parcel, reply.status, reply.text);
    }
    this.#pump();
  }

  /** Nothing was wrong with the callbacks: they wait, with all others, until the server may be asked again. */
  #giveBack(parcels: readonly Parcel[], reply: PeerReply | PeerFailure, pauses: number): void {
    const { clock, jitter } = this.#options;
    this.#ready.unshift(...parcels);
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

  #takeBatchReply(parcels: readonly Parcel[], { status, text }: PeerReply): void {
    if (status === 404 || status === 405) {
      this.#takesBatches = false;
      this.#ready.unshift(...parcels);
      return;
    }
    const results = status < 300 ? resultsIn(text, parcels.length) : null;
    for (const [index, parcel] of parcels.entries()) {
      const own = results?.[index];
      if (own !== undefined) this.#judge(parcel, own.status, "");
      else if (status >= 500 || status < 300) this.#tryLater(parcel);
      else {
        parcel.isAlone = true;
        this.#ready.push(parcel);
      }
    }
  }

  #judge(parcel: Parcel, status: number, detail: string): void {
    const { settle } = this.#options;
    if (status >= 200 && status < 300) {
      settle(parcel.dispatchId, null);
      parcel.timesLeft -= 1;
      if (parcel.timesLeft > 0) this.#ready.push(parcel);
    } else if (status === 413 && parcel.isReduced !== true && this.#options.reduce(parcel.dispatchId)) {
      parcel.isReduced = true;
      this.#ready.push(parcel);
    } else if (status >= 400 && status < 500 && !TRY_AGAIN.has(status)) {
      settle(
        parcel.dispatchId,
        `the server refused it with ${status}${detail === "" ? "" : `: ${detail.slice(0, 500)}`}`,
      );
    } else this.#tryLater(parcel);
  }

  #tryLater(parcel: Parcel): void {
    const { clock, jitter } = this.#options;
    parcel.tries += 1;
    parcel.isAlone = true;
    const stop = clock.after(backoffMs(parcel.tries, jitter()), () => {
      this.#timers.delete(stop);
      this.#ready.push(parcel);
      this.#pump();
    });
    this.#timers.add(stop);
  }
}

interface Load {
  readonly parcel: Parcel;
  readonly text: string;
}

/** Does the answer concern every callback alike? A wrong token, a busy server and one that is away do. */
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
