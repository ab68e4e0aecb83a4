import { compareCodeUnits } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { ScheduleCursor, ScheduleSlot, ScheduleStore, SlotKey } from "../schedule-store.ts";
import { newestFirst } from "./memory-runs.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

export function memorySchedules(world: MemoryWorld): ScheduleStore {
  const book: SlotBook = { world, cursors: new Map(), slots: new Map() };
  return { ...cursorsIn(book), ...takingsIn(book), ...listsIn(book) };
}

interface SlotBook {
  readonly world: MemoryWorld;
  readonly cursors: Map<string, ScheduleCursor>;
  readonly slots: Map<string, ScheduleSlot>;
}

function cursorsIn(
  book: SlotBook,
): Pick<ScheduleStore, "scheduleCursors" | "startCursor" | "scheduleStanding" | "claimSlots"> {
  const { cursors } = book;
  return {
    scheduleCursors: async (orgId) =>
      [...cursors.values()]
        .filter((cursor) => cursor.orgId === orgId)
        .map((cursor) => ({ ...cursor }))
        .sort((left, right) => compareCodeUnits(left.scheduleId, right.scheduleId)),
    startCursor: async ({ orgId, scheduleId, edition, lookedUntil }) => {
      const key = keyOf(orgId, scheduleId);
      const standing = cursors.get(key);
      if (standing?.edition === edition) return { ...standing };
      cursors.set(key, { orgId, scheduleId, edition, lookedUntil });
      return { orgId, scheduleId, edition, lookedUntil };
    },
    scheduleStanding: async (orgId, scheduleId) => {
      const own = slotsOf(book, orgId, scheduleId);
      const cursor = cursors.get(keyOf(orgId, scheduleId));
      const open = own.findLast((slot) => isOpen(book, slot));
      return {
        cursor: cursor === undefined ? null : { ...cursor },
        open: open === undefined ? null : { slotAt: open.slotAt, runId: open.runId },
        queued: own.filter(({ state }) => state === "queued").length,
      };
    },
    claimSlots: async ({ cursor, lookedUntil, workflow, slots, claimedBy, at }) => {
      const { orgId, scheduleId } = cursor;
      const standing = cursors.get(keyOf(orgId, scheduleId));
      if (standing?.edition !== cursor.edition || standing.lookedUntil !== cursor.lookedUntil) return null;
      cursors.set(keyOf(orgId, scheduleId), { ...standing, lookedUntil });
      const added = slots.filter(({ slotAt }) => !book.slots.has(slotKey({ orgId, scheduleId, slotAt })));
      for (const slot of added) {
        put(book, { ...slot, orgId, scheduleId, workflow, runId: null, claimedBy, claimedAt: at });
      }
      return added.map(({ slotAt }) => slotAt).sort((left, right) => left - right);
    },
  };
}

function takingsIn(book: SlotBook): Pick<ScheduleStore, "takeClaimedSlot" | "takeQueuedSlot" | "settleSlot"> {
  return {
    takeClaimedSlot: async (key, { claimedBy, at, claimedBefore }) => {
      const slot = book.slots.get(slotKey(key));
      if (slot?.state !== "claimed" || slot.claimedAt > claimedBefore) return false;
      put(book, { ...slot, claimedBy, claimedAt: at });
      return true;
    },
    takeQueuedSlot: async (key, { claimedBy, at, mayOverlap }) => {
      const slot = book.slots.get(slotKey(key));
      const own = slotsOf(book, key.orgId, key.scheduleId);
      const isFirst = own.find(({ state }) => state === "queued")?.slotAt === key.slotAt;
      const isBlocked = !mayOverlap && own.some((other) => isOpen(book, other));
      if (slot?.state !== "queued" || !isFirst || isBlocked) return false;
      put(book, { ...slot, state: "claimed", claimedBy, claimedAt: at });
      return true;
    },
    settleSlot: async (key, from, outcome) => {
      const slot = book.slots.get(slotKey(key));
      const isUndone = slot?.state === "skipped" || slot?.state === "refused";
      if (slot === undefined || !(slot.state === from || (outcome.state === "started" && isUndone))) return false;
      const isStarted = outcome.state === "started";
      put(book, {
        ...slot,
        state: outcome.state,
        runId: isStarted ? outcome.runId : null,
        reason: isStarted ? null : outcome.reason,
      });
      return true;
    },
  };
}

function listsIn(book: SlotBook): Pick<ScheduleStore, "unsettledSlots" | "listSlots" | "pruneSlots"> {
  return {
    unsettledSlots: async (limit) => oldestOf([...book.slots.values()]).slice(0, limit),
    listSlots: async (orgId, scheduleId, page) => {
      const own = slotsOf(book, orgId, scheduleId).map((slot) => ({ ...slot }));
      return newestFirst(own, page, ({ slotAt }) => ({ at: slotAt, id: "" }));
    },
    pruneSlots: async (orgId, scheduleId, keep) => {
      for (const slot of slotsOf(book, orgId, scheduleId).reverse().slice(keep)) {
        if (slot.state !== "claimed" && slot.state !== "queued") book.slots.delete(slotKey(slot));
      }
    },
  };
}

function put(book: SlotBook, slot: ScheduleSlot): void {
  book.slots.set(slotKey(slot), slot);
}

/** Oldest first. */
function slotsOf({ slots }: SlotBook, orgId: string, scheduleId: string): ScheduleSlot[] {
  return [...slots.values()].filter((slot) => slot.orgId === orgId && slot.scheduleId === scheduleId).sort(byTime);
}

function isOpen({ world }: SlotBook, { state, runId }: ScheduleSlot): boolean {
  const run = runId === null ? undefined : world.runs.get(runId);
  return state === "claimed" || (state === "started" && run !== undefined && !isTerminal(run.head.status));
}

function slotKey({ orgId, scheduleId, slotAt }: SlotKey): string {
  return keyOf(orgId, scheduleId, slotAt);
}

function byTime(left: ScheduleSlot, right: ScheduleSlot): number {
  return left.slotAt - right.slotAt;
}

/** Returns the oldest unsettled slot of every schedule and state. */
function oldestOf(slots: readonly ScheduleSlot[]): ScheduleSlot[] {
  const oldest = new Map<string, ScheduleSlot>();
  for (const slot of [...slots].sort(byTime)) {
    if (slot.state !== "claimed" && slot.state !== "queued") continue;
    const key = keyOf(slot.orgId, slot.scheduleId, slot.state);
    if (!oldest.has(key)) oldest.set(key, { ...slot });
  }
  return [...oldest.values()].sort(
    (left, right) =>
      compareCodeUnits(left.orgId, right.orgId) ||
      compareCodeUnits(left.scheduleId, right.scheduleId) ||
      compareCodeUnits(left.state, right.state),
  );
}
