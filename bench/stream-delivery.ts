/** Compares the times of commits with the times of arrivals. */
import type { Arrival } from "./stream-clients.ts";

/** An event that was committed while all clients were there. */
export interface Delivery {
  readonly committedMs: number;
  readonly arrivedMs: number;
}

export function deliveriesOf(
  arrivals: readonly Arrival[],
  committed: ReadonlyMap<number, number>,
  clients: number,
): readonly Delivery[] {
  const deliveries: Delivery[] = [];
  for (const { eventId, clients: reached, atMs } of arrivals) {
    const committedMs = committed.get(eventId);
    if (committedMs === undefined) continue;
    if (reached !== clients) throw new Error(`event ${eventId} reached ${reached} of ${clients} clients`);
    deliveries.push({ committedMs, arrivedMs: atMs });
  }
  return deliveries;
}

/** Events per second that reached all clients, from the first commit to the last arrival. */
export function rateOf(deliveries: readonly Delivery[]): number {
  const begun = Math.min(...deliveries.map(({ committedMs }) => committedMs));
  const over = Math.max(...deliveries.map(({ arrivedMs }) => arrivedMs));
  return (deliveries.length * 1_000) / (over - begun);
}
