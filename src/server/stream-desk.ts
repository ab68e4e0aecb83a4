import type { RunRecord, RunStore } from "../store/index.ts";
import type { ApiConfig } from "./config.ts";
import { EventStream } from "./event-stream.ts";
import type { LiveDesk } from "./live-desk.ts";
import { LiveStream, type LiveSetup } from "./live-stream.ts";
import { Refused } from "./problem.ts";
import type { PulledSetup, PulledStream } from "./pulled-stream.ts";
import type { Tail } from "./tail.ts";

interface Opening extends Pick<PulledSetup, "hangUp" | "isStillAllowed"> {
  readonly signal: AbortSignal;
}

export interface RunOpening extends Opening {
  readonly run: RunRecord;
  readonly afterEventId: number;
}

export interface LiveOpening extends Opening, Pick<LiveSetup, "orgId" | "runs" | "hasApprovals"> {}

/** All open streams of this process, with one heartbeat for them together. */
export class StreamDesk {
  readonly #store: Pick<RunStore, "readEvents">;
  readonly #tail: Tail;
  readonly #live: LiveDesk;
  readonly #config: ApiConfig;
  readonly #streams = new Set<PulledStream>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(store: Pick<RunStore, "readEvents">, tail: Tail, live: LiveDesk, config: ApiConfig) {
    this.#store = store;
    this.#tail = tail;
    this.#live = live;
    this.#config = config;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Of one run. */
  open({ signal, ...opening }: RunOpening): ReadableStream<Uint8Array> {
    return this.#add(signal, (given) => new EventStream({ ...given, ...opening }));
  }

  /** Of an organisation. */
  openLive({ signal, ...opening }: LiveOpening): ReadableStream<Uint8Array> {
    return this.#add(signal, (given) => new LiveStream({ ...given, ...opening, live: this.#live }));
  }

  /** Ends all streams and takes no more; clients resume elsewhere. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end();
  }

  #add(
    signal: AbortSignal,
    make: (given: Pick<LiveSetup, "store" | "tail" | "config" | "onClosed">) => PulledStream,
  ): ReadableStream<Uint8Array> {
    if (this.#isClosed || this.#streams.size >= this.#config.streamsMax) {
      throw new Refused("too_many_streams", `This process serves at most ${this.#config.streamsMax} streams at once.`, {
        headers: { "retry-after": "2" },
      });
    }
    const stream = make({
      store: this.#store,
      tail: this.#tail,
      config: this.#config,
      onClosed: (closed) => this.#forget(closed),
    });
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#beat(), this.#config.heartbeatMs).unref();
    // A client may be gone before its answer is written, and then nobody cancels the body.
    if (signal.aborted) stream.end();
    else signal.addEventListener("abort", () => stream.end(), { once: true });
    return stream.body;
  }

  #beat(): void {
    for (const stream of this.#streams) {
      stream.beat().catch((error: unknown) => {
        // While the database is away nobody can be asked, and no event comes either.
        this.#config.onTrouble("a heartbeat failed", error);
      });
    }
  }

  #forget(stream: PulledStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
