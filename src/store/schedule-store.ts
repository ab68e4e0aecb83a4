import type { Listed, Page } from "./store.ts";

/** What became of the slots of schedules: one row per slot, so that a slot starts at most one run. */
export interface ScheduleStore {
  /** How far each schedule of an organisation has been looked at. */
  scheduleCursors(orgId: string): Promise<readonly ScheduleCursor[]>;
  /** Sets the cursor to this place, unless this edition has one already; returns the cursor that holds. */
  startCursor(cursor: ScheduleCursor): Promise<ScheduleCursor>;
  /** Of one moment: how far a schedule was looked at, and what of it is going on. */
  scheduleStanding(orgId: string, scheduleId: string): Promise<ScheduleStanding>;
  /**
   * Moves the cursor and records slots, all of it or nothing. Null when the cursor is not where it was expected;
   * otherwise the slots that were new, in order. A slot that is recorded already stays as it is.
   */
  claimSlots(claim: SlotClaim): Promise<readonly number[] | null>;
  /** The oldest claimed and the oldest queued slot of every schedule; at most `limit`. */
  unsettledSlots(limit: number): Promise<readonly ScheduleSlot[]>;
  /** Takes over a claim made at `claimedBefore` or earlier; false when there is none any more. */
  takeClaimedSlot(key: SlotKey, taking: SlotTaking & { readonly claimedBefore: number }): Promise<boolean>;
  /** Claims a queued slot if none older is queued and, unless it may overlap, nothing of its schedule is going on. */
  takeQueuedSlot(key: SlotKey, taking: SlotTaking & { readonly mayOverlap: boolean }): Promise<boolean>;
  /** Records what became of a slot in state `from`. A run that was started is recorded whatever was recorded before. */
  settleSlot(key: SlotKey, from: "claimed" | "queued", outcome: SlotOutcome): Promise<boolean>;
  /** Newest first. */
  listSlots(orgId: string, scheduleId: string, page: Page): Promise<Listed<ScheduleSlot>>;
  /** Forgets all but the newest `keep` slots; never one that is claimed or queued. */
  pruneSlots(orgId: string, scheduleId: string, keep: number): Promise<void>;
}

export const SLOT_STATES = ["claimed", "queued", "started", "skipped", "refused"] as const;
export type SlotState = (typeof SLOT_STATES)[number];

export interface ScheduleCursor {
  readonly orgId: string;
  readonly scheduleId: string;
  /** Changes whenever the schedule is changed. */
  readonly edition: string;
  /** Every slot before this instant was looked at. */
  readonly lookedUntil: number;
}

export interface ScheduleStanding {
  readonly cursor: ScheduleCursor | null;
  /** The newest slot that is being started, or whose run is open; the run is null while it is being started. */
  readonly open: { readonly slotAt: number; readonly runId: string | null } | null;
  readonly queued: number;
}

export interface SlotKey {
  readonly orgId: string;
  readonly scheduleId: string;
  readonly slotAt: number;
}

interface SlotTaking {
  readonly claimedBy: string;
  readonly at: number;
}

export interface SlotClaim extends SlotTaking {
  /** The cursor as it must be for the claim to count. */
  readonly cursor: ScheduleCursor;
  readonly lookedUntil: number;
  /** What the slots are to run. */
  readonly workflow: string;
  readonly slots: readonly NewSlot[];
}

export interface NewSlot {
  readonly slotAt: number;
  readonly state: Extract<SlotState, "claimed" | "queued" | "skipped">;
  readonly reason: string | null;
}

type SlotOutcome =
  | { readonly state: "started"; readonly runId: string }
  | { readonly state: "skipped" | "refused"; readonly reason: string };

export interface ScheduleSlot extends SlotKey {
  readonly state: SlotState;
  readonly workflow: string;
  readonly runId: string | null;
  readonly reason: string | null;
  readonly claimedAt: number;
  readonly claimedBy: string;
}
