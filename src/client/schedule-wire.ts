/** What the API says about the slots of schedules, as types. */
import type { ListPage } from "./wire.ts";

export interface Slot {
  /** When it was due, ISO 8601. */
  readonly slotAt: string;
  /** `claimed` while its run is being started, `queued` while it waits for the run before it. */
  readonly state: "claimed" | "queued" | "started" | "skipped" | "refused";
  readonly workflow: string;
  readonly runId: string | null;
  /** Why nothing was started. */
  readonly reason: string | null;
  readonly claimedAt: string;
}

export interface SlotPage extends ListPage<Slot> {
  /** Of the schedule as it is now; none while it is disabled. */
  readonly nextSlots: readonly string[];
}
