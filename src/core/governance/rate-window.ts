/** Dispatches that are counted at one moment, epoch milliseconds. */
export interface Hits {
  readonly at: number;
  readonly count: number;
}

/** At most so many in any window of that length, which is whole milliseconds. */
export interface RateWindow {
  readonly count: number;
  readonly windowMs: number;
}

/** Up to so many each dispatch counts at its own millisecond. */
export const EXACT_COUNT_MAX = 256;
/** Beyond that a window has so many slices, however many dispatches it holds. */
export const SLICES = 256;

/** Products of fractions of a second are off by less than this; it makes no window longer. */
const ROUNDING_MS = 1e-6;

/** Part of a millisecond counts as a whole one: a window may be longer than was asked for, never shorter. */
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
 * What is kept once some are added, in order. The hits of one slice count at the moment of the last of them and leave the
 * window together: none is ever counted for too short, and none for more than a slice too long. Slices begin at the same
 * moments for all, so that it does not matter who adds what first. What is older than the newest by `keptMs` goes.
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

/** How many came after an instant; they are in order. */
export function countSince(hits: readonly Hits[], since: number): number {
  let count = 0;
  for (let index = hits.length - 1; index >= 0; index -= 1) {
    const one = hits[index];
    if (one === undefined || one.at <= since) break;
    count += one.count;
  }
  return count;
}

/** When so many of them, the oldest first, have left a window; null: there are not so many. */
export function leaveAt(hits: readonly Hits[], many: number, windowMs: number): number | null {
  let left = 0;
  for (const { at, count } of hits) {
    left += count;
    if (left >= many) return at + windowMs;
  }
  return null;
}
