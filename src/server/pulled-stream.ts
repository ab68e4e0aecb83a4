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
  /** Closes the connection of a client that does not read; null where there is no socket. */
  readonly closeConnection: (() => void) | null;
  /** Checks whether the caller that opened the stream may still read it. */
  readonly isStillAllowed: () => Promise<boolean>;
  readonly onClosed: (stream: PulledStream) => void;
}

/**
 * A stream of server-sent events for one client. More data is taken only while the client reads, so that no messages
 * collect in memory. A client that does not read for too long is disconnected, and may reconnect.
 */
export abstract class PulledStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #setup: PulledSetup;
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Messages that were taken but not yet sent to the client. */
  #ahead: readonly Uint8Array[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;
  /** Counts the additions. */
  #additions = 0;
  /** Bytes added since the client last read. */
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

  /** Names the stream in error reports. */
  protected abstract readonly about: string;
  /** Returns true when no more messages will follow. */
  protected abstract isOver(): boolean;
  /** Returns the next messages that are available now; empty when there are none. */
  protected abstract take(): Promise<readonly Uint8Array[]>;
  /** Stops listening. */
  protected abstract release(): void;

  onAdded(bytes: number): void {
    this.#additions += 1;
    if (this.#isStalled()) this.#backlog += bytes;
    if (this.#backlog > this.#setup.config.backlogBytesMax) this.cut();
    this.#awake();
  }

  /** Sends a heartbeat to the client, and checks whether its caller may still read. */
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

  /** Ends the stream normally. The client may reconnect and continue at the same position. */
  end(): void {
    if (this.#isClosed) return;
    this.#close();
    this.#controller?.close();
  }

  /** Ends the stream because the caller may no longer read. Messages already taken for it are not sent. */
  expire(): void {
    if (this.#isClosed) return;
    // A client that does not read would otherwise hold the connection, and its waiting messages, without limit.
    if (this.#isStalled()) return this.cut();
    this.#close();
    this.#controller?.enqueue(EXPIRED);
    this.#controller?.close();
  }

  /** Disconnects a client that does not read. It requests the unread messages again when it reconnects. */
  cut(): void {
    if (this.#isClosed) return;
    this.#close();
    if (this.#setup.closeConnection !== null) this.#setup.closeConnection();
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

  /** Enqueues as much as the queue accepts; the rest waits until the client has read. */
  #give(controller: ReadableStreamDefaultController<Uint8Array>): void {
    let given = 0;
    for (const bytes of this.#ahead) {
      if ((controller.desiredSize ?? 0) <= 0) break;
      controller.enqueue(bytes);
      given += 1;
    }
    this.#ahead = this.#ahead.slice(given);
  }

  /** Returns the next messages as soon as there are any. */
  async #next(): Promise<readonly Uint8Array[]> {
    while (!this.#isClosed) {
      const before = this.#additions;
      const found = await this.take();
      if (found.length > 0 || this.isOver()) return found;
      // Messages added during `take` may have been missed.
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
