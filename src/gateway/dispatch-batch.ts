import { DISPATCHES_PER_BATCH_MAX } from "../bridge/index.ts";
import type { Entry } from "./opened.ts";

/** What goes to a Bridge in one request. */
export interface DispatchBatch {
  readonly entries: Entry[];
  readonly texts: string[];
}

export const BATCH_BYTES_MAX = 8 * 1_048_576;

/** As many to a request as the wire takes, by count and by weight, in their order. */
export function batchesOf(entries: readonly Entry[]): readonly DispatchBatch[] {
  const batches: DispatchBatch[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const text = JSON.stringify(entry.body);
    const weight = Buffer.byteLength(text);
    const last = batches.at(-1);
    if (last === undefined || last.texts.length >= DISPATCHES_PER_BATCH_MAX || bytes + weight > BATCH_BYTES_MAX) {
      batches.push({ entries: [entry], texts: [text] });
      bytes = weight;
    } else {
      last.entries.push(entry);
      last.texts.push(text);
      bytes += weight;
    }
  }
  return batches;
}
