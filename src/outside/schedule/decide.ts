import type { ScheduledTrigger } from "../../registry/index.ts";
import type { NewSlot, ScheduleStanding } from "../../store/index.ts";

/** Maximum number of missed slots of a schedule that are made up for. */
export const BACKFILL_MAX = 100;

export interface DueSlots {
  /** Slots that passed while no scheduler was running: the newest, at most `BACKFILL_MAX`. */
  readonly missed: readonly number[];
  readonly onTime: readonly number[];
}

type Policy = Pick<ScheduledTrigger["on"], "overlap" | "missed">;
type Standing = Pick<ScheduleStanding, "open" | "queued">;

/** Decides the outcome of each slot that is due, oldest first. */
export function decideSlots(policy: Policy, { missed, onTime }: DueSlots, standing: Standing): readonly NewSlot[] {
  const queue = new Queue(standing);
  const newest = missed.at(-1);
  const madeUp = missed.map((slotAt): NewSlot => {
    if (policy.missed === "backfill") return queue.backfill(slotAt, policy.overlap);
    if (policy.missed === "skip") return skipped(slotAt, "missed: no scheduler was running when it was due");
    if (slotAt === newest) return queue.admit(slotAt, policy.overlap);
    return skipped(slotAt, "missed: a later slot makes up for all that were missed");
  });
  return [...madeUp, ...onTime.map((slotAt) => queue.admit(slotAt, policy.overlap))];
}

function skipped(slotAt: number, reason: string): NewSlot {
  return { slotAt, state: "skipped", reason };
}

/** The open and queued slots before a slot. */
class Queue {
  #before: string | null;
  #queued: number;

  constructor({ open, queued }: Standing) {
    this.#before = open === null ? null : (open.runId ?? startingAt(open.slotAt));
    this.#queued = queued;
  }

  admit(slotAt: number, overlap: Policy["overlap"]): NewSlot {
    if (overlap === "allow" || this.#isFree()) return this.#claim(slotAt);
    if (this.#queued > 0) return skipped(slotAt, "another slot was waiting already");
    if (overlap === "queue") return this.#wait(slotAt);
    return skipped(slotAt, `the run before it was still open: ${this.#before ?? "none"}`);
  }

  /** A missed slot is queued instead of dropped, because its author asked for backfill explicitly. */
  backfill(slotAt: number, overlap: Policy["overlap"]): NewSlot {
    return overlap === "allow" || this.#isFree() ? this.#claim(slotAt) : this.#wait(slotAt);
  }

  #isFree(): boolean {
    return this.#before === null && this.#queued === 0;
  }

  #claim(slotAt: number): NewSlot {
    this.#before = startingAt(slotAt);
    return { slotAt, state: "claimed", reason: null };
  }

  #wait(slotAt: number): NewSlot {
    this.#queued += 1;
    return { slotAt, state: "queued", reason: null };
  }
}

function startingAt(slotAt: number): string {
  return `that of ${new Date(slotAt).toISOString()}`;
}
