import type { StreamInput } from "../core/engine/index.ts";
import type { StreamPart } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Send } from "./peer-send.ts";
import { CALLBACK_PATH, DELTAS_PER_REQUEST_MAX, GATEWAY_TOKEN_HEADER, type StreamBody, STREAM_PATH } from "./wire.ts";

export interface ChannelOptions {
  readonly clock: Clock;
  readonly send: Send;
  readonly token: () => string;
}

const TRY_AGAIN_MS = 200;
const REQUEST_MS = 5_000;
/** Maximum time that a result waits for the pieces before it. */
const END_MS = 5_000;
const REPLY_BYTES_MAX = 65_536;
export const TEXT_LENGTH_MAX = 65_536;
/** Maximum text that waits for a slow server. Older text is dropped, because the result contains all of it. */
export const WAITING_LENGTH_MAX = 1_048_576;
const REQUEST_LENGTH_MAX = 262_144;

/** Sends the pieces of one dispatch to the server: in order, one request at a time. Waiting pieces are joined. */
export class PartialChannel {
  readonly #url: string;
  readonly #dispatchId: string;
  readonly #options: ChannelOptions;
  #waiting: StreamPart[] = [];
  #waitingLength = 0;
  #nextIndex = 0;
  #isSending = false;
  #isClosed = false;
  #onIdle: (() => void) | null = null;

  constructor(url: string, dispatchId: string, options: ChannelOptions) {
    this.#url = url;
    this.#dispatchId = dispatchId;
    this.#options = options;
  }

  push(deltas: StreamInput["deltas"]): void {
    if (this.#isClosed) return;
    for (const { text, media } of deltas) {
      if (text !== undefined) this.#wait(text);
      else if (media !== undefined) this.#waiting.push({ media } as StreamPart);
    }
    void this.#sendAll();
  }

  /** Resolves when every piece was sent or given up. No piece is sent afterwards. */
  async end(): Promise<void> {
    if (this.#isSending) {
      await new Promise<void>((resolve) => {
        const stop = this.#options.clock.after(END_MS, resolve);
        this.#onIdle = () => {
          stop();
          resolve();
        };
      });
    }
    this.#isClosed = true;
  }

  #wait(text: string): void {
    this.#waitingLength += text.length;
    if (this.#waitingLength > WAITING_LENGTH_MAX) {
      this.#waiting = [];
      this.#waitingLength = text.length;
    }
    const last = this.#waiting.at(-1);
    const joined = last !== undefined && "text" in last ? last.text + text : text;
    if (last !== undefined && "text" in last) this.#waiting.pop();
    for (let start = 0; start < joined.length;) {
      const end = wholeEnd(joined, start + TEXT_LENGTH_MAX);
      this.#waiting.push({ text: joined.slice(start, end) });
      start = end;
    }
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const body = JSON.stringify(this.#take());
      const isDone = await this.#post(body);
      if (!isDone && !this.#isClosed) {
        await new Promise<void>((resolve) => void this.#options.clock.after(TRY_AGAIN_MS, resolve));
        await this.#post(body);
      }
    }
    this.#isSending = false;
    this.#onIdle?.();
  }

  #take(): StreamBody {
    let [count, length] = [0, 0];
    for (const part of this.#waiting) {
      length += "text" in part ? part.text.length : 0;
      if (count > 0 && (length > REQUEST_LENGTH_MAX || count >= DELTAS_PER_REQUEST_MAX)) break;
      count += 1;
    }
    const parts = this.#waiting.splice(0, count);
    const deltas = parts.map((part) => {
      const index = this.#nextIndex;
      this.#nextIndex += 1;
      if ("text" in part) this.#waitingLength -= part.text.length;
      return { index, ...part };
    });
    return { dispatchId: this.#dispatchId, deltas };
  }

  /** Sends a request. False when it should be repeated. */
  async #post(body: string): Promise<boolean> {
    const { send, token } = this.#options;
    const reply = await send(this.#url, {
      method: "POST",
      headers: { [GATEWAY_TOKEN_HEADER]: token() },
      body,
      timeoutMs: REQUEST_MS,
      bytesMax: REPLY_BYTES_MAX,
    });
    if (!reply.ok) return false;
    const { status } = reply;
    const isRefused = status >= 400 && status < 500 && status !== 401 && status !== 408 && status !== 429;
    // A server that refuses one piece of this dispatch refuses all.
    if (isRefused) this.#isClosed = true;
    return isRefused || status < 300;
  }
}

/** Returns the default URL for pieces, derived from the callback URL, for a dispatch without a stream URL. */
export function streamUrlOf(callbackUrl: string): string {
  const url = new URL(callbackUrl);
  const isUsual = url.pathname.endsWith(CALLBACK_PATH);
  const before = isUsual ? url.pathname.slice(0, -CALLBACK_PATH.length) : "";
  return `${url.origin}${before}${STREAM_PATH}`;
}

/** Returns an end position that does not split a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return end < text.length && unit >= 0xd800 && unit < 0xdc00 ? end - 1 : end;
}
