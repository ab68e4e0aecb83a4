import type { StreamInput } from "../core/engine/index.ts";
import { repairText } from "../core/text/index.ts";
import type { StreamPart } from "../adapter/index.ts";
import type { Clock, Stop } from "../clock/index.ts";

type Deltas = StreamInput["deltas"];

/** At most 20 batches per second and node. A long stream is sent in fewer and larger batches. */
const BATCH_MS = 50;
const LONG_STREAM_DELTAS = 1_000;
const LONG_STREAM_BATCH_MS = 500;

export interface PartialBatcher {
  add(part: StreamPart): void;
  /** Sends the waiting pieces. Called before the final report, so that no piece comes after it. */
  flush(): void;
  /** Drops the waiting pieces and all later ones. */
  close(): void;
}

/** Joins adjacent pieces of text, so that a log does not contain one event per token. */
export function createPartialBatcher(clock: Clock, send: (deltas: Deltas) => void): PartialBatcher {
  let waiting: StreamPart[] = [];
  let nextIndex = 0;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  let stop: Stop | null = null;
  let isClosed = false;

  /** Sends the waiting pieces, but keeps the first half of a split surrogate pair until the second half arrives. */
  const flushWholeCharacters = (): void => {
    const last = waiting.at(-1);
    if (last === undefined || !("text" in last) || !endsInsidePair(last.text)) return flush();
    const tail = last.text.slice(-1);
    waiting[waiting.length - 1] = { text: last.text.slice(0, -1) };
    flush();
    waiting = [{ text: tail }];
  };

  const flush = (): void => {
    stop?.();
    stop = null;
    waiting = waiting.filter((part) => !("text" in part) || part.text !== "");
    if (waiting.length === 0) return;
    const deltas = waiting.map((part) => {
      const delta = "text" in part ? { index: nextIndex, text: storable(part.text) } : { index: nextIndex, ...part };
      nextIndex += 1;
      return delta;
    });
    waiting = [];
    lastSentAt = clock.now();
    send(deltas);
  };

  return {
    add(part) {
      if (isClosed) return;
      const last = waiting.at(-1);
      if (last !== undefined && "text" in last && "text" in part) {
        waiting[waiting.length - 1] = { text: last.text + part.text };
      } else {
        waiting.push(part);
      }
      const pause = nextIndex < LONG_STREAM_DELTAS ? BATCH_MS : LONG_STREAM_BATCH_MS;
      const rest = lastSentAt + pause - clock.now();
      if (rest <= 0) flushWholeCharacters();
      else stop ??= clock.after(rest, flushWholeCharacters);
    },
    flush,
    close() {
      isClosed = true;
      waiting = [];
      stop?.();
      stop = null;
    },
  };
}

function endsInsidePair(text: string): boolean {
  const unit = text.charCodeAt(text.length - 1);
  return unit >= 0xd800 && unit < 0xdc00;
}

function storable(text: string): string {
  const { value } = repairText(text);
  return typeof value === "string" ? value : text;
}
