import type { RunRecord, RunStore } from "../store/index.ts";
import type { ApiConfig } from "./config.ts";
import { EventStream } from "./event-stream.ts";
import { Refused } from "./problem.ts";
import type { Tail } from "./tail.ts";

export interface Opening {
  readonly run: RunRecord;
  readonly afterEventId: number;
  readonly signal: AbortSignal;
  readonly hangUp: (() => void) | null;
  readonly isStillAllowed: () => Promise<boolean>;
}

/** All open streams of this process, with one heartbeat for them together. */
export class StreamDesk {
  readonly #store: Pick<RunStore, "readEvents">;
  readonly #tail: Tail;
  readonly #config: ApiConfig;
  readonly #streams = new Set<EventStream>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(store: Pick<RunStore, "readEvents">, tail: Tail, config: ApiConfig) {
    this.#store = store;
    this.#tail = tail;
    this.#config = config;
  }

  get size(): number {
    return this.#streams.size;
  }

  open({ run, afterEventId, signal, hangUp, isStillAllowed }: Opening): ReadableStream<Uint8Array> {
    if (this.#isClosed || this.#streams.size >= this.#config.streamsMax) {
      throw new Refused("too_many_streams", `This process serves at most ${this.#config.streamsMax} streams at once.`, {
        headers: { "retry-after": "2" },
      });
    }
    const stream: EventStream = new EventStream({
      run,
      afterEventId,
      store: this.#store,
      tail: this.#tail,
      config: this.#config,
      hangUp,
      isStillAllowed,
      onClosed: (closed) => this.#forget(closed),
    });
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#beat(), this.#config.heartbeatMs).unref();
    // A client may be gone before its answer is written, and then nobody cancels the body.
    if (signal.aborted) stream.end();
    else signal.addEventListener("abort", () => stream.end(), { once: true });
    return stream.body;
  }

  /** Ends all streams and takes no more; clients resume elsewhere. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end();
  }

  #beat(): void {
    for (const stream of this.#streams) {
      stream.beat().catch((error: unknown) => {
        // While the database is away nobody can be asked, and no event comes either.
        this.#config.onTrouble("a heartbeat failed", error);
      });
    }
  }

  #forget(stream: EventStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
