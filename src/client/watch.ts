import { AUTH_EXPIRED } from "../core/event/index.ts";
import type { EventFrame } from "../core/view/index.ts";
import { ApiError, brokenAnswer, expired, UNREACHABLE, unreachable } from "./api-error.ts";
import { Silence } from "./silence.ts";
import { type SseMessage, SseParser } from "./sse-parser.ts";

export interface WatchOptions {
  /** Number of the event after which to continue. Default: start with the first event. */
  readonly afterEventId?: number;
  /** Stops watching without an error. */
  readonly signal?: AbortSignal;
  /** Longest silence before a connection counts as dead. The server sends something every 15 seconds. */
  readonly silenceMs?: number;
  /** First wait after a failed connection. It doubles up to ten seconds. */
  readonly retryMs?: number;
  /** How long connections may fail, or end without a message, before watching fails. Default: no limit. */
  readonly patienceMs?: number;
}

/** Opens the stream after an event. Rejects when the connection fails or the answer is not a stream. */
export type OpenStream = (afterEventId: number, signal: AbortSignal) => Promise<Response>;

const SILENCE_MS = 45_000;
const RETRY_MS = 250;
const RETRY_MS_MAX = 10_000;

/**
 * Yields the events of a run in order, each exactly once, until the run has ended. After a lost connection it continues
 * after the last yielded event, and it reconnects in the same way when an event is missing.
 */
export async function* watchEvents(
  url: string,
  open: OpenStream,
  options: WatchOptions = {},
): AsyncGenerator<EventFrame, void> {
  const { signal, retryMs = RETRY_MS } = options;
  const patience = new Patience(url, options.patienceMs);
  let cursor = options.afterEventId ?? 0;
  let waitMs = retryMs;
  const isWanted = (): boolean => signal?.aborted !== true;
  while (isWanted()) {
    const connection = new Connection(url, open, options, () => patience.restart());
    const before = cursor;
    try {
      const isOpen = await connection.start(cursor);
      if (!isOpen) return;
      for await (const frame of connection.frames()) {
        if (frame.eventId <= cursor) continue;
        if (frame.eventId > cursor + 1) break;
        cursor = frame.eventId;
        waitMs = retryMs;
        patience.restart();
        yield frame;
      }
      if (cursor > before) continue;
      // Without this limit, a server that closes each connection at once would be called forever.
      patience.throwIfExhausted(new Error("the stream of events ends before the run does"));
      await pause(waitMs, signal);
    } catch (error) {
      if (!isWanted()) return;
      if (isFinal(error)) throw error;
      patience.throwIfExhausted(error);
      const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      await pause(Math.max(waitMs, asked), signal);
      waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
    } finally {
      connection.close();
    }
  }
}

/** Checks whether an error is permanent. Only a lost connection or a busy server is worth another try. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.code !== UNREACHABLE && error.status < 500 && error.status !== 429;
}

/** Measures how long connections have failed without a success. */
class Patience {
  readonly #url: string;
  readonly #longestMs: number;
  #since: number | null = null;

  constructor(url: string, longestMs = Number.POSITIVE_INFINITY) {
    this.#url = url;
    this.#longestMs = longestMs;
  }

  restart(): void {
    this.#since = null;
  }

  /** Throws the error when connections have failed for too long. */
  throwIfExhausted(error: unknown): void {
    this.#since ??= Date.now();
    if (Date.now() - this.#since < this.#longestMs) return;
    throw error instanceof ApiError ? error : unreachable(this.#url, error);
  }
}

class Connection {
  readonly #url: string;
  readonly #open: OpenStream;
  readonly #silence: Silence;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#silence.signal.reason);
  readonly #onSteady: () => void;
  #response: Response | null = null;

  constructor(url: string, open: OpenStream, { signal, silenceMs = SILENCE_MS }: WatchOptions, onSteady: () => void) {
    this.#url = url;
    this.#open = open;
    this.#outer = signal;
    this.#onSteady = onSteady;
    this.#silence = new Silence(silenceMs);
    this.#silence.signal.addEventListener("abort", this.#abort, { once: true });
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  /** Opens the stream. Returns false when the run has ended and no events follow. */
  async start(afterEventId: number): Promise<boolean> {
    const response = await this.#open(afterEventId, this.#controller.signal);
    this.#response = response;
    return response.status !== 204;
  }

  async *frames(): AsyncGenerator<EventFrame, void> {
    const reader = this.#response?.body?.getReader();
    if (reader === undefined) return;
    const decoder = new TextDecoder();
    const parser = new SseParser();
    const openedAt = Date.now();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#silence.restart();
      // Data such as heartbeats arrives, so the connection works even if the run has no new events.
      if (Date.now() - openedAt > RETRY_MS_MAX) this.#onSteady();
      for (const message of parser.take(decoder.decode(value, { stream: true }))) {
        if (message.event === AUTH_EXPIRED) throw expired(message.data);
        const frame = this.#frameOf(message);
        if (frame !== null) yield frame;
      }
    }
  }

  close(): void {
    this.#silence.end();
    this.#outer?.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }

  /** Reads a message as an event. Messages without an id, such as heartbeats, are not events. */
  #frameOf({ id, data }: SseMessage): EventFrame | null {
    if (id === null) return null;
    try {
      const frame = JSON.parse(data) as EventFrame;
      if (Number.isSafeInteger(frame.eventId)) return frame;
    } catch {
      // Reported below. A message is parsed only when it is complete, so it was already invalid when it was sent.
    }
    throw brokenAnswer(this.#url, "sent an event that cannot be read", { status: 200 });
  }
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
