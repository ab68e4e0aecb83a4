import type { RunRecord, RunStore } from "../store/index.ts";
import type { ApiConfig } from "./config.ts";
import { frameOf, sseBytes } from "./frame-text.ts";
import type { Sent, Tail, WatchedRun, Watcher } from "./tail.ts";

const QUEUE_BYTES = 65_536;
const PAGE = 100;
const RETRY = Buffer.from("retry: 2000\n\n");
const HEARTBEAT = Buffer.from(": heartbeat\n\n");

export interface StreamSetup {
  readonly run: RunRecord;
  readonly afterEventId: number;
  readonly store: Pick<RunStore, "readEvents">;
  readonly tail: Tail;
  readonly config: Pick<ApiConfig, "now" | "backlogBytesMax" | "stallMs" | "onTrouble">;
  /** Ends the connection under a client that does not read; null where there is no socket. */
  readonly hangUp: (() => void) | null;
  /** Whether whoever opened the stream may still read it. */
  readonly isStillAllowed: () => Promise<boolean>;
  readonly onClosed: (stream: EventStream) => void;
}

/**
 * One client of one run. It pulls: as long as the client reads, it takes what follows its cursor, from memory when the
 * tail keeps it and from the log otherwise, so that replay and live are one and no event can be missed or repeated.
 */
export class EventStream implements Watcher {
  readonly body: ReadableStream<Uint8Array>;
  readonly #setup: StreamSetup;
  readonly #watched: WatchedRun;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  #cursor: number;
  /** Taken from memory or log, and not yet given to the client. */
  #ahead: readonly Sent[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;
  /** Bytes that came since the client last took something. */
  #backlog = 0;
  /** When the client stopped reading; null while it reads. */
  #stalledSince: number | null = null;

  constructor(setup: StreamSetup) {
    this.#setup = setup;
    this.#cursor = setup.afterEventId;
    this.#watched = setup.tail.watch(setup.run, this);
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES });
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          controller.enqueue(RETRY);
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#release(),
      },
      strategy,
    );
  }

  onNews(bytes: number): void {
    if (this.#isStalled()) this.#backlog += bytes;
    if (this.#backlog > this.#setup.config.backlogBytesMax) this.cut();
    this.#awake();
  }

  /** Says that the stream is alive, and looks whether it still may be. */
  async beat(): Promise<void> {
    const { config, isStillAllowed } = this.#setup;
    if (this.#isClosed) return;
    if (this.#isStalled()) {
      this.#stalledSince ??= config.now();
      if (config.now() - this.#stalledSince >= config.stallMs) this.cut();
      return;
    }
    this.#stalledSince = null;
    this.#awake();
    if (!(await isStillAllowed())) return this.end();
    if (!this.#isClosed) this.#controller?.enqueue(HEARTBEAT);
  }

  /** Ends the stream in order: the client may come back and goes on where it was. */
  end(): void {
    if (this.#isClosed) return;
    this.#release();
    this.#controller?.close();
  }

  /** Ends it under a client that does not read; what it has not read it will ask for again. */
  cut(): void {
    if (this.#isClosed) return;
    this.#release();
    if (this.#setup.hangUp !== null) this.#setup.hangUp();
    else this.#controller?.error(new Error("the client does not read"));
  }

  #isStalled(): boolean {
    return (this.#controller?.desiredSize ?? 0) <= 0;
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#backlog = 0;
    this.#stalledSince = null;
    try {
      if (this.#ahead.length === 0) this.#ahead = await this.#next();
      if (this.#isClosed) return;
      this.#give(controller);
      if (this.#watched.isFinished && this.#cursor >= this.#watched.head) this.end();
    } catch (error) {
      this.#setup.config.onTrouble(`the stream of run ${this.#setup.run.runId} ended early`, error);
      this.end();
    }
  }

  /** As much as the queue takes; the rest waits until the client has read that. */
  #give(controller: ReadableStreamDefaultController<Uint8Array>): void {
    let given = 0;
    for (const { eventId, bytes } of this.#ahead) {
      if ((controller.desiredSize ?? 0) <= 0) break;
      this.#cursor = eventId;
      controller.enqueue(bytes);
      given += 1;
    }
    this.#ahead = this.#ahead.slice(given);
  }

  /** What follows the cursor, as soon as there is something. */
  async #next(): Promise<readonly Sent[]> {
    while (!this.#isClosed) {
      const found = this.#watched.keptAfter(this.#cursor) ?? (await this.#readLog());
      if (found.length > 0) return found;
      if (this.#watched.isFinished && this.#cursor >= this.#watched.head) return [];
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return [];
  }

  async #readLog(): Promise<readonly Sent[]> {
    const { store, run } = this.#setup;
    const events = await store.readEvents(run.orgId, run.runId, this.#cursor, PAGE);
    return events.map((event) => ({ eventId: event.eventId, bytes: sseBytes(frameOf(event, run)) }));
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #release(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#setup.tail.unwatch(this.#watched, this);
    this.#awake();
    this.#setup.onClosed(this);
  }
}
