import { AUTH_EXPIRED } from "../core/event/index.ts";
import type { ApiConfig } from "./config.ts";

const QUEUE_BYTES = 65_536;
const RETRY = Buffer.from("retry: 2000\n\n");
/** The last message of a stream whose caller may no longer read. */
const EXPIRED = Buffer.from(
  `event: ${AUTH_EXPIRED}\ndata: ${JSON.stringify({
    type: AUTH_EXPIRED,
    code: "unauthenticated",
    detail: "The key or token has expired or was revoked; open the stream again with another.",
  })}\n\n`,
);
const HEARTBEAT = Buffer.from(": heartbeat\n\n");

export interface PulledSetup {
  readonly config: Pick<ApiConfig, "now" | "backlogBytesMax" | "stallMs" | "onTrouble">;
  /** Ends the connection under a client that does not read; null where there is no socket. */
  readonly hangUp: (() => void) | null;
  /** Whether the caller that opened the stream may still read it. */
  readonly isStillAllowed: () => Promise<boolean>;
  readonly onClosed: (stream: PulledStream) => void;
}

/**
 * One client of server-sent events. It pulls: as long as the client reads, it takes what follows, so that nothing waits
 * in memory for a client that does not read. A client that does not read for too long is cut off, and comes back.
 */
export abstract class PulledStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #setup: PulledSetup;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Taken, and not yet given to the client. */
  #ahead: readonly Uint8Array[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;
  /** How often something was added. */
  #additions = 0;
  /** Bytes that came since the client last took something. */
  #backlog = 0;
  /** When the client stopped reading; null while it reads. */
  #stalledSince: number | null = null;

  constructor(setup: PulledSetup) {
    this.#setup = setup;
    const strategy = new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES });
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
          controller.enqueue(RETRY);
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#close(),
      },
      strategy,
    );
  }

  /** What it is, for messages about its trouble. */
  protected abstract readonly about: string;
  /** Nothing more will follow what was taken. */
  protected abstract isOver(): boolean;
  /** What follows what was taken, now; nothing when there is nothing. */
  protected abstract take(): Promise<readonly Uint8Array[]>;
  /** Stops listening. */
  protected abstract release(): void;

  onAdded(bytes: number): void {
    this.#additions += 1;
    if (this.#isStalled()) this.#backlog += bytes;
    if (this.#backlog > this.#setup.config.backlogBytesMax) this.cut();
    this.#awake();
  }

  /** Shows the client that the stream is alive, and checks that it still may be. */
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
    if (!(await isStillAllowed())) return this.expire();
    if (!this.#isClosed) this.#controller?.enqueue(HEARTBEAT);
  }

  /** Ends the stream in order: the client may come back and continues where it was. */
  end(): void {
    if (this.#isClosed) return;
    this.#close();
    this.#controller?.close();
  }

  /** Ends it because the caller may no longer read: nothing that was taken for it is sent any more. */
  expire(): void {
    if (this.#isClosed) return;
    // A client that does not read would keep the connection, and what waits in it, for as long as it likes.
    if (this.#isStalled()) return this.cut();
    this.#close();
    this.#controller?.enqueue(EXPIRED);
    this.#controller?.close();
  }

  /** Ends it under a client that does not read; what it has not read it will ask for again. */
  cut(): void {
    if (this.#isClosed) return;
    this.#close();
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
      if (this.#ahead.length === 0 && this.isOver()) this.end();
    } catch (error) {
      this.#setup.config.onTrouble(`${this.about} ended early`, error);
      this.end();
    }
  }

  /** As much as the queue takes; the rest waits until the client has read that. */
  #give(controller: ReadableStreamDefaultController<Uint8Array>): void {
    let given = 0;
    for (const bytes of this.#ahead) {
      if ((controller.desiredSize ?? 0) <= 0) break;
      controller.enqueue(bytes);
      given += 1;
    }
    this.#ahead = this.#ahead.slice(given);
  }

  /** What follows, as soon as there is something. */
  async #next(): Promise<readonly Uint8Array[]> {
    while (!this.#isClosed) {
      const before = this.#additions;
      const found = await this.take();
      if (found.length > 0 || this.isOver()) return found;
      // What came while it was looking may not have been seen.
      if (this.#additions !== before) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return [];
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.release();
    this.#awake();
    this.#setup.onClosed(this);
  }
}
