import { DISPATCH_BYTES_MAX, DISPATCHES_PER_BATCH_MAX } from "../bridge/index.ts";
import type { Entry } from "./opened.ts";

/** The dispatches sent to a Bridge in one request. */
export interface DispatchBatch {
  readonly entries: Entry[];
  readonly texts: string[];
}

export const BATCH_BYTES_MAX = 8 * 1_048_576;

export interface Batches {
  readonly batches: readonly DispatchBatch[];
  /** Entries that are too large for any Bridge. */
  readonly tooLarge: readonly { readonly entry: Entry; readonly bytes: number }[];
}

/** Groups dispatches into batches within the limits of count and bytes, in order. */
export function batchesOf(entries: readonly Entry[]): Batches {
  const batches: DispatchBatch[] = [];
  const tooLarge: { readonly entry: Entry; readonly bytes: number }[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const text = JSON.stringify(entry.body);
    const weight = Buffer.byteLength(text);
    const last = batches.at(-1);
    if (weight > DISPATCH_BYTES_MAX) tooLarge.push({ entry, bytes: weight });
    else if (last === undefined || last.texts.length >= DISPATCHES_PER_BATCH_MAX || bytes + weight > BATCH_BYTES_MAX) {
      batches.push({ entries: [entry], texts: [text] });
      bytes = weight;
    } else {
      last.entries.push(entry);
      last.texts.push(text);
      bytes += weight;
    }
  }
  return { batches, tooLarge };
}

/** A longer message is not repeated as `command`. */
const COMMAND_LENGTH_MAX = 1_048_576;

/**
 * A single dispatch. It also contains the fields of the first version of this protocol (`taskId`, `command`, `timeout`
 * in seconds), because any kind of Bridge may receive it.
 */
export function singleText({ body }: Pick<Entry, "body">): string {
  if (body === null) return "{}";
  const { dispatchId, message, timeoutMs } = body;
  return JSON.stringify({
    ...body,
    ["taskId"]: dispatchId,
    ...(message.length > COMMAND_LENGTH_MAX ? {} : { command: message }),
    ...(timeoutMs === null ? {} : { timeout: timeoutMs / 1_000 }),
  });
}
