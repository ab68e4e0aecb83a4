import { describe, expect, it } from "vitest";
import type { ScheduleCursor, ScheduleStore, SlotClaim, SlotKey } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const CURSOR: ScheduleCursor = { orgId: "org_1", scheduleId: "nightly", edition: "1", lookedUntil: 100 };

function slot(slotAt: number, parts: Partial<SlotKey> = {}): SlotKey {
  return { orgId: "org_1", scheduleId: "nightly", slotAt, ...parts };
}

type Wanted = Readonly<Record<number, "claimed" | "queued" | "skipped">>;

/** Claims slots, wherever the cursor is. */
async function claim(store: ScheduleStore, wanted: Wanted, parts: Partial<SlotClaim> = {}) {
  const cursor = parts.cursor ?? (await store.startCursor(CURSOR));
  const slots = Object.entries(wanted).map(([at, state]) => ({ slotAt: Number(at), state, reason: null }));
  return store.claimSlots({
    cursor,
    lookedUntil: cursor.lookedUntil + 1,
    workflow: "report",
    slots,
    claimedBy: "a",
    at: 1_000,
    ...parts,
  });
}

async function statesOf(store: ScheduleStore, scheduleId = "nightly"): Promise<string[]> {
  const { data } = await store.listSlots("org_1", scheduleId, { limit: 100, cursor: null });
  return data.map(({ slotAt, state }) => `${slotAt} ${state}`);
}

/** What every store keeps of the slots of schedules. */
export function scheduleRules(subjectOf: SubjectOf): void {
  describe("the cursor of a schedule", () => {
    it("begins anew with another edition, and only then", async () => {
      const { store } = subjectOf();
      expect(await store.startCursor(CURSOR)).toEqual(CURSOR);
      expect(await store.startCursor({ ...CURSOR, lookedUntil: 900 })).toEqual(CURSOR);
      const second = { ...CURSOR, edition: "2", lookedUntil: 500 };
      expect(await store.startCursor(second)).toEqual(second);
      await store.startCursor({ ...CURSOR, orgId: "org_2" });
      await store.startCursor({ ...CURSOR, scheduleId: "hourly" });
      expect(await store.scheduleCursors("org_1")).toEqual([{ ...CURSOR, scheduleId: "hourly" }, second]);
      expect(await store.scheduleCursors("org_3")).toEqual([]);
    });

    it("is moved by one of those who saw it at the same place", async () => {
      const { store, rival } = subjectOf();
      const cursor = await store.startCursor(CURSOR);
      const claims = await Promise.all(
        [store, rival, store, rival].map((one, index) =>
          claim(one, { 100: "claimed", 101: "skipped" }, { cursor, lookedUntil: 102, claimedBy: `replica ${index}` }),
        ),
      );
      expect(claims.filter((slots) => slots !== null)).toEqual([[100, 101]]);
      const { cursor: now } = await store.scheduleStanding("org_1", "nightly");
      expect(now).toEqual({ ...CURSOR, lookedUntil: 102 });
    });

    it("is not moved by those who know another edition, and nothing is recorded then", async () => {
      const { store } = subjectOf();
      await store.startCursor(CURSOR);
      expect(await claim(store, { 100: "claimed" }, { cursor: { ...CURSOR, edition: "0" } })).toBeNull();
      expect(await claim(store, { 100: "claimed" }, { cursor: { ...CURSOR, scheduleId: "unknown" } })).toBeNull();
      expect(await statesOf(store)).toEqual([]);
    });
  });

  describe("a slot", () => {
    it("is recorded once, whatever editions follow", async () => {
      const { store } = subjectOf();
      expect(await claim(store, { 100: "claimed" })).toEqual([100]);
      await store.settleSlot(slot(100), "claimed", { state: "started", runId: "run_1" });
      const again = await store.startCursor({ ...CURSOR, edition: "2", lookedUntil: 50 });
      expect(await claim(store, { 100: "claimed", 101: "queued" }, { cursor: again })).toEqual([101]);
      expect(await statesOf(store)).toEqual(["101 queued", "100 started"]);
    });

    it("keeps what was said of it", async () => {
      const { store } = subjectOf();
      const cursor = await store.startCursor(CURSOR);
      const slots = [{ slotAt: 100, state: "skipped", reason: 'a "b" \\ {c,d} null' } as const];
      await store.claimSlots({ cursor, lookedUntil: 101, workflow: "report", slots, claimedBy: "a", at: 7 });
      const { data } = await store.listSlots("org_1", "nightly", { limit: 5, cursor: null });
      expect(data).toEqual([
        {
          ...slot(100),
          state: "skipped",
          workflow: "report",
          runId: null,
          reason: 'a "b" \\ {c,d} null',
          claimedAt: 7,
          claimedBy: "a",
        },
      ]);
    });

    it("is settled from the state it is thought to be in; a run counts whatever was said before", async () => {
      const { store } = subjectOf();
      await claim(store, { 100: "claimed", 101: "queued" });
      const started = { state: "started", runId: "run_1" } as const;
      expect(await store.settleSlot(slot(100), "queued", { state: "skipped", reason: "gone" })).toBe(false);
      expect(await store.settleSlot(slot(100), "claimed", { state: "refused", reason: "closed" })).toBe(true);
      expect(await store.settleSlot(slot(100), "claimed", { state: "skipped", reason: "gone" })).toBe(false);
      expect(await store.settleSlot(slot(100), "claimed", started)).toBe(true);
      expect(await store.settleSlot(slot(100), "claimed", { state: "started", runId: "run_2" })).toBe(false);
      expect(await store.settleSlot(slot(101), "queued", { state: "skipped", reason: "gone" })).toBe(true);
      expect(await store.settleSlot(slot(102), "claimed", started)).toBe(false);
      expect(await store.settleSlot(slot(100, { orgId: "org_2" }), "claimed", started)).toBe(false);
      const { data } = await store.listSlots("org_1", "nightly", { limit: 5, cursor: null });
      expect(data.map(({ state, runId, reason }) => [state, runId, reason])).toEqual([
        ["skipped", null, "gone"],
        ["started", "run_1", null],
      ]);
    });

    it("is taken from the replica that claimed it too long ago, by one", async () => {
      const { store, rival } = subjectOf();
      await claim(store, { 100: "claimed" }, { at: 1_000 });
      const taking = { claimedBy: "b", at: 5_000, claimedBefore: 999 };
      expect(await store.takeClaimedSlot(slot(100), taking)).toBe(false);
      const late = { ...taking, claimedBefore: 1_000 };
      const taken = await Promise.all([store.takeClaimedSlot(slot(100), late), rival.takeClaimedSlot(slot(100), late)]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      const [found] = await store.unsettledSlots(10);
      expect(found).toMatchObject({ claimedBy: "b", claimedAt: 5_000 });
    });
  });

  describe("a queued slot", () => {
    const taking = { claimedBy: "b", at: 2_000, mayOverlap: false };

    it("waits until the run before it has ended, and is taken by one", async () => {
      const { store, rival } = subjectOf();
      await claim(store, { 100: "claimed", 101: "queued" });
      expect(await store.takeQueuedSlot(slot(101), taking)).toBe(false);
      await store.commit([creation("run_1")]);
      await store.settleSlot(slot(100), "claimed", { state: "started", runId: "run_1" });
      expect(await store.scheduleStanding("org_1", "nightly")).toMatchObject({
        open: { slotAt: 100, runId: "run_1" },
        queued: 1,
      });
      expect(await store.takeQueuedSlot(slot(101), taking)).toBe(false);
      await store.commit([share("run_1", 1, logFrom(2, 1), { head: { status: "completed", endedAt: 5 } })]);
      expect((await store.scheduleStanding("org_1", "nightly")).open).toBeNull();
      const taken = await Promise.all([
        store.takeQueuedSlot(slot(101), taking),
        rival.takeQueuedSlot(slot(101), taking),
      ]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.scheduleStanding("org_1", "nightly")).toMatchObject({
        open: { slotAt: 101, runId: null },
        queued: 0,
      });
    });

    it("does not wait where runs may overlap, but for older ones", async () => {
      const { store } = subjectOf();
      await claim(store, { 100: "claimed", 101: "queued", 102: "queued" });
      const allowed = { ...taking, mayOverlap: true };
      expect(await store.takeQueuedSlot(slot(102), allowed)).toBe(false);
      expect(await store.takeQueuedSlot(slot(101), allowed)).toBe(true);
      expect(await store.takeQueuedSlot(slot(102), allowed)).toBe(true);
    });

    it("of another schedule waits for its own", async () => {
      const { store } = subjectOf();
      await claim(store, { 100: "claimed" });
      const hourly = await store.startCursor({ ...CURSOR, scheduleId: "hourly" });
      await claim(store, { 90: "queued", 91: "queued" }, { cursor: hourly });
      const other = await store.startCursor({ ...CURSOR, orgId: "org_0" });
      await claim(store, { 95: "claimed", 96: "claimed" }, { cursor: other });
      const found = await store.unsettledSlots(10);
      expect(found.map(({ orgId, scheduleId, slotAt, state }) => [orgId, scheduleId, slotAt, state])).toEqual([
        ["org_0", "nightly", 95, "claimed"],
        ["org_1", "hourly", 90, "queued"],
        ["org_1", "nightly", 100, "claimed"],
      ]);
      expect(await store.unsettledSlots(2)).toHaveLength(2);
      expect(await store.takeQueuedSlot(slot(90, { scheduleId: "hourly" }), taking)).toBe(true);
    });
  });

  it("knows that nothing is under way for a schedule that was never claimed", async () => {
    const { store } = subjectOf();
    const nothing = { cursor: null, open: null, queued: 0 };
    expect(await store.scheduleStanding("org_1", "nightly")).toEqual(nothing);
    expect(await store.scheduleStanding("org_1", "a\0b")).toEqual(nothing);
  });

  it("lists slots newest first, page by page, of one schedule", async () => {
    const { store } = subjectOf();
    await claim(store, { 100: "skipped", 101: "skipped", 102: "skipped" });
    const first = await store.listSlots("org_1", "nightly", { limit: 2, cursor: null });
    expect(first.data.map(({ slotAt }) => slotAt)).toEqual([102, 101]);
    const second = await store.listSlots("org_1", "nightly", { limit: 2, cursor: first.nextCursor });
    expect([second.data.map(({ slotAt }) => slotAt), second.nextCursor]).toEqual([[100], null]);
    expect((await store.listSlots("org_2", "nightly", { limit: 2, cursor: null })).data).toEqual([]);
    expect((await store.listSlots("org_1", "a\0b", { limit: 2, cursor: null })).data).toEqual([]);
  });

  it.each([
    [2, ["104 skipped", "103 skipped", "101 queued", "100 claimed"]],
    [3, ["104 skipped", "103 skipped", "102 skipped", "101 queued", "100 claimed"]],
    [4, ["104 skipped", "103 skipped", "102 skipped", "101 queued", "100 claimed"]],
    [6, ["104 skipped", "103 skipped", "102 skipped", "101 queued", "100 claimed", "99 skipped"]],
    [7, ["104 skipped", "103 skipped", "102 skipped", "101 queued", "100 claimed", "99 skipped"]],
  ])("keeps the newest %i slots, and those that are unsettled", async (keep, left) => {
    const { store } = subjectOf();
    await claim(store, {
      99: "skipped",
      100: "claimed",
      101: "queued",
      102: "skipped",
      103: "skipped",
      104: "skipped",
    });
    const hourly = await store.startCursor({ ...CURSOR, scheduleId: "hourly" });
    await claim(store, { 1: "skipped" }, { cursor: hourly });
    await store.pruneSlots("org_1", "nightly", keep);
    expect(await statesOf(store)).toEqual(left);
    expect(await statesOf(store, "hourly")).toEqual(["1 skipped"]);
  });
}
