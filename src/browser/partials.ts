import type { Json } from "../core/base/index.ts";
import type { StreamInput } from "../core/engine/index.ts";
import { repairText } from "../core/text/index.ts";
import type { BrowserHooks } from "./provider.ts";
import type { PageClock } from "./timers.ts";

type Part = Parameters<BrowserHooks["onPartial"]>[0];
type Deltas = StreamInput["deltas"];

const BATCH_MS = 50;
const LONG_STREAM_DELTAS = 1_000;
const LONG_STREAM_BATCH_MS = 500;

/** Joins pieces of text into at most 20 batches per second, and fewer for a long stream, so that a log stays readable. */
export class Partials {
  readonly #clock: PageClock;
  readonly #send: (deltas: Deltas) => void;
  #waiting: Part[] = [];
  #next = 0;
  #stop: (() => void) | null = null;

  constructor(clock: PageClock, send: (deltas: Deltas) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  add(part: Part): void {
    const last = this.#waiting.at(-1);
    if (last !== undefined && "text" in last && "text" in part) {
      this.#waiting[this.#waiting.length - 1] = { text: last.text + part.text };
    } else this.#waiting.push(part);
    const pause = this.#next < LONG_STREAM_DELTAS ? BATCH_MS : LONG_STREAM_BATCH_MS;
    this.#stop ??= this.#clock.after(pause, () => this.#flushWhole());
  }

  /** Sends the waiting pieces, but keeps the first half of a split surrogate pair until the second half arrives. */
  #flushWhole(): void {
    const last = this.#waiting.at(-1);
    const half = last !== undefined && "text" in last ? (/[\ud800-\udbff]$/.exec(last.text)?.[0] ?? "") : "";
    if (last !== undefined && "text" in last) {
      this.#waiting[this.#waiting.length - 1] = { text: last.text.slice(0, last.text.length - half.length) };
    }
    this.flush();
    if (half !== "") this.#waiting.push({ text: half });
  }

  /** Sends the waiting pieces. Called before the result, so that no piece comes after it. */
  flush(): void {
    this.#stop?.();
    this.#stop = null;
    const waiting = this.#waiting.filter((part) => !("text" in part) || part.text !== "");
    const deltas = waiting.map((part, place) => ({ index: this.#next + place, ...storable(part) }));
    this.#waiting = [];
    this.#next += deltas.length;
    if (deltas.length > 0) this.#send(deltas);
  }

  /** Drops the waiting pieces. */
  close(): void {
    this.#stop?.();
    this.#stop = null;
    this.#waiting = [];
  }
}

function storable(part: Part): { text: string } | { media: Json } {
  if (!("text" in part)) return { media: { ...part.media } };
  const { value } = repairText(part.text);
  return { text: typeof value === "string" ? value : part.text };
}
