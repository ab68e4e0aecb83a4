import type { Listed, Page } from "./store.ts";

/** Outcomes of schedule slots. There is one row per slot, so that a slot starts at most one run. */
export interface ScheduleStore {
  /** Returns the cursor of each schedule: the time up to which it was processed. */
  scheduleCursors(orgId: string): Promise<readonly ScheduleCursor[]>;
  /** Sets the cursor, unless this edition has one already. Returns the valid cursor. */
  startCursor(cursor: ScheduleCursor): Promise<ScheduleCursor>;
  /** Returns the cursor and the open slots of a schedule, read at the same moment. */
  scheduleStanding(orgId: string, scheduleId: string): Promise<ScheduleStanding>;
  /**
   * Moves the cursor and records slots, all or nothing. Null when the cursor is not at the expected position; otherwise
   * the new slots, in order. A slot that is recorded already stays unchanged.
   */
  claimSlots(claim: SlotClaim): Promise<readonly number[] | null>;
  /** Returns the oldest claimed and the oldest queued slot of every schedule, at most `limit`. */
  unsettledSlots(limit: number): Promise<readonly ScheduleSlot[]>;
  /** Takes over a claim made at `claimedBefore` or earlier. Returns false when the slot is no longer claimed. */
  takeClaimedSlot(key: SlotKey, taking: SlotTaking & { readonly claimedBefore: number }): Promise<boolean>;
  /** Claims a queued slot if no older one is queued and either `mayOverlap` is set or nothing of its schedule is open. */
  takeQueuedSlot(key: SlotKey, taking: SlotTaking & { readonly mayOverlap: boolean }): Promise<boolean>;
  /** Records the outcome of a slot in state `from`. A started run is recorded even if another outcome was recorded before. */
  settleSlot(key: SlotKey, from: "claimed" | "queued", outcome: SlotOutcome): Promise<boolean>;
  /** Newest first. */
  listSlots(orgId: string, scheduleId: string, page: Page): Promise<Listed<ScheduleSlot>>;
  /** Deletes all but the newest `keep` slots; never a claimed or queued one. */
  pruneSlots(orgId: string, scheduleId: string, keep: number): Promise<void>;
}

export const SLOT_STATES = ["claimed", "queued", "started", "skipped", "refused"] as const;
export type SlotState = (typeof SLOT_STATES)[number];

export interface ScheduleCursor {
  readonly orgId: string;
  readonly scheduleId: string;
  /** Identifies the content of the schedule; different after each change. */
  readonly edition: string;
  /** All slots before this instant were processed. */
  readonly lookedUntil: number;
}

export interface ScheduleStanding {
  readonly cursor: ScheduleCursor | null;
  /** The newest slot that is being started or whose run is open. The run is null until it has started. */
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
  /** The cursor that must be stored for the claim to succeed. */
  readonly cursor: ScheduleCursor;
  readonly lookedUntil: number;
  /** The workflow that the slots run. */
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
