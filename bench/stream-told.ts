/** What the times of commits and arrivals say together. */
import type { Arrival } from "./stream-clients.ts";

/** An event that was committed while all clients were there. */
export interface Told {
  readonly committedMs: number;
  readonly arrivedMs: number;
}

export function toldOf(
  arrivals: readonly Arrival[],
  committed: ReadonlyMap<number, number>,
  clients: number,
): readonly Told[] {
  const told: Told[] = [];
  for (const { eventId, clients: reached, atMs } of arrivals) {
    const committedMs = committed.get(eventId);
    if (committedMs === undefined) continue;
    if (reached !== clients) throw new Error(`event ${eventId} reached ${reached} of ${clients} clients`);
    told.push({ committedMs, arrivedMs: atMs });
  }
  return told;
}

/** Of the events that reached everybody, from the first commit to the last arrival. */
export function rateOf(told: readonly Told[]): number {
  const begun = Math.min(...told.map(({ committedMs }) => committedMs));
  const over = Math.max(...told.map(({ arrivedMs }) => arrivedMs));
  return (told.length * 1_000) / (over - begun);
}
