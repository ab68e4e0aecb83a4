/** Number of dispatches counted at one moment, in epoch milliseconds. */
export interface Hits {
  readonly at: number;
  readonly count: number;
}

/** Limit of `count` dispatches in any window of `windowMs`, a whole number of milliseconds. */
export interface RateWindow {
  readonly count: number;
  readonly windowMs: number;
}

/** Up to this limit, each dispatch is counted at its own millisecond. */
export const EXACT_COUNT_MAX = 256;
/** Number of slices in a window with a larger limit, however many dispatches it contains. */
export const SLICES = 256;

/** Upper bound of the rounding error in fractions of a second. Subtracted so that the error never lengthens a window. */
const ROUNDING_MS = 1e-6;

/** Rounds the window up to whole milliseconds: it may be longer than requested, never shorter. */
export function rateWindowOf({
  count,
  perSeconds,
}: {
  readonly count: number;
  readonly perSeconds: number;
}): RateWindow {
  return { count, windowMs: Math.max(1, Math.ceil(perSeconds * 1_000 - ROUNDING_MS)) };
}

export function sliceMsOf({ count, windowMs }: RateWindow): number {
  return count > EXACT_COUNT_MAX ? Math.ceil(windowMs / SLICES) : 1;
}

/**
 * Returns the kept hits with the added ones, in order. Hits of one slice share the moment of the latest of them and leave the
 * window together: each is counted for at least the window, and for at most one slice longer. Slice boundaries are the same for
 * all callers, so the order in which they add hits does not matter. Hits older than the newest by `keptMs` are dropped.
 */
export function addHits(
  kept: readonly Hits[],
  added: readonly Hits[],
  rate: RateWindow,
  keptMs: number,
): readonly Hits[] {
  const all = kept.concat(added).sort((left, right) => left.at - right.at);
  const since = (all.at(-1)?.at ?? 0) - keptMs;
  const sliceMs = sliceMsOf(rate);
  const after: Hits[] = [];
  let slice = NaN;
  for (const hits of all) {
    if (hits.at <= since) continue;
    const before = after.at(-1);
    const own = Math.floor(hits.at / sliceMs);
    if (before === undefined || own !== slice) after.push(hits);
    else after[after.length - 1] = { at: hits.at, count: before.count + hits.count };
    slice = own;
  }
  return after;
}

/** Counts the hits after an instant. `hits` is in order of time. */
export function countSince(hits: readonly Hits[], since: number): number {
  let count = 0;
  for (let index = hits.length - 1; index >= 0; index -= 1) {
    const one = hits[index];
    if (one === undefined || one.at <= since) break;
    count += one.count;
  }
  return count;
}

/** Returns the moment when the oldest `many` dispatches have left the window. Null when there are fewer. */
export function expiryOfOldest(hits: readonly Hits[], many: number, windowMs: number): number | null {
  let left = 0;
  for (const { at, count } of hits) {
    left += count;
    if (left >= many) return at + windowMs;
  }
  return null;
}
