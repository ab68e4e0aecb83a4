import { AUTH_EXPIRED } from "../core/event/index.ts";
import type { EventFrame } from "../core/view/index.ts";
import { ApiProblem, expiredProblem, problemOf } from "./api-problem.ts";
import { type SseMessage, SseParser } from "./sse-parser.ts";

export interface WatchOptions {
  /** Go on after this event; from the first one otherwise. */
  readonly afterEventId?: number;
  /** Ends the watching without an error. */
  readonly signal?: AbortSignal;
  /** Longest silence before a connection counts as dead; the server says something every 15 seconds. */
  readonly silenceMs?: number;
  /** First wait after a failed connection; it doubles up to ten seconds. */
  readonly retryMs?: number;
}

/** Opens the stream after an event; rejects when there is no connection. */
export type OpenStream = (afterEventId: number, signal: AbortSignal) => Promise<Response>;

const SILENCE_MS = 45_000;
const RETRY_MS = 250;
const RETRY_MS_MAX = 10_000;

/**
 * The events of a run in order, each exactly once, until the run has ended. Whatever happens to the connection, it goes
 * on after the last event that was given out; an event that is missing in between is fetched the same way.
 */
export async function* watchEvents(open: OpenStream, options: WatchOptions = {}): AsyncGenerator<EventFrame, void> {
  const { signal, retryMs = RETRY_MS } = options;
  let cursor = options.afterEventId ?? 0;
  let waitMs = retryMs;
  const isWanted = (): boolean => signal?.aborted !== true;
  while (isWanted()) {
    const connection = new Connection(open, options);
    const before = cursor;
    try {
      const isOpen = await connection.start(cursor);
      if (!isOpen) return;
      for await (const frame of connection.frames()) {
        if (frame.eventId <= cursor) continue;
        if (frame.eventId > cursor + 1) break;
        cursor = frame.eventId;
        waitMs = retryMs;
        yield frame;
      }
      // A server that closes at once would otherwise be asked without end.
      if (cursor === before) await pause(waitMs, signal);
    } catch (error) {
      if (isFinal(error)) throw error;
      const asked = error instanceof ApiProblem ? (error.retryAfterMs ?? 0) : 0;
      await pause(Math.max(waitMs, asked), signal);
      waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
    } finally {
      connection.close();
    }
  }
}

/** Trying again helps against a lost connection and a server that is busy, and against nothing else. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiProblem && error.status < 500 && error.status !== 429;
}

class Connection {
  readonly #open: OpenStream;
  readonly #silenceMs: number;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #response: Response | null = null;

  constructor(open: OpenStream, { signal, silenceMs = SILENCE_MS }: WatchOptions) {
    this.#open = open;
    this.#silenceMs = silenceMs;
    this.#outer = signal;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** False when the run has ended and nothing follows. */
  async start(afterEventId: number): Promise<boolean> {
    this.#listen();
    const response = await this.#open(afterEventId, this.#controller.signal);
    if (!response.ok) throw await problemOf(response);
    this.#response = response;
    return response.status !== 204;
  }

  async *frames(): AsyncGenerator<EventFrame, void> {
    const reader = this.#response?.body?.getReader();
    if (reader === undefined) return;
    const decoder = new TextDecoder();
    const parser = new SseParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#listen();
      for (const message of parser.take(decoder.decode(value, { stream: true }))) {
        if (message.event === AUTH_EXPIRED) throw expiredProblem(message.data);
        const frame = frameOf(message);
        if (frame !== null) yield frame;
      }
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }

  #listen(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#abort, this.#silenceMs);
  }
}

/** Events without an id belong to the transport, such as heartbeats. */
function frameOf({ id, data }: SseMessage): EventFrame | null {
  if (id === null) return null;
  const frame = JSON.parse(data) as EventFrame;
  return Number.isSafeInteger(frame.eventId) ? frame : null;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const wake = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake, { once: true });
  });
}
