import { describe, expect, it } from "vitest";
import { required } from "../../src/core/base/index.ts";
import { keyDigest } from "../../src/core/engine/index.ts";
import type { KeptEventRecord, NewEvent, NewWaiter, EventToDeliver, Waiter } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const HOUR_MS = 3_600_000;
const PAGE = { limit: 10, cursor: null };

function sent(id: string, parts: Partial<NewEvent> = {}): NewEvent {
  const key = parts.key ?? { order: "o1" };
  return {
    id,
    type: "order.paid",
    key,
    keyDigest: keyDigest(key),
    data: { amount: 1 },
    keepMs: HOUR_MS,
    hops: 0,
    sentBy: "key_1",
    ...parts,
  };
}

function waiter(nodeId: string, parts: Partial<NewWaiter> = {}): NewWaiter {
  const digest = keyDigest({ order: "o1" });
  return { nodeId, epoch: 0, blockedBy: 4, type: "order.paid", keyDigest: digest, since: 0, ...parts };
}

const names = (waiters: readonly Waiter[]): string[] => waiters.map(({ runId, nodeId }) => `${runId}/${nodeId}`);
const ids = (events: readonly KeptEventRecord[]): string[] => events.map(({ id }) => id);

export function eventRules(subjectOf: SubjectOf): void {
  const put = async (event: NewEvent, orgId = "org_1"): Promise<EventToDeliver> => {
    const [first] = await subjectOf().store.putEvents(orgId, [event]);
    return required(first, "it was put").event;
  };

  describe("events of an organisation", () => {
    it("are kept once by their id, as they were sent, and only for their organisation", async () => {
      const { store, rival } = subjectOf();
      const data = { text: 'quotes " and \\ and \n and ü😀', deep: [{ a: null }], nul: "\u0000" };
      const event = sent("e1", { data, key: { b: 1, a: "ü" }, hops: 3 });
      const before = await store.now();
      const [first] = await store.putEvents("org_1", [event]);
      expect(first?.isNew).toBe(true);
      const { keepMs: _keep, ...plain } = event;
      expect(first?.event).toMatchObject({ ...plain, orgId: "org_1" });
      expect(first?.event.receivedAt).toBeGreaterThanOrEqual(before);
      expect(first?.event.expiresAt).toBe((first?.event.receivedAt ?? 0) + HOUR_MS);
      const [again] = await rival.putEvents("org_1", [sent("e1", { data: "other" })]);
      expect(again).toEqual({ event: first?.event, isNew: false });
      expect(await store.getEvents("org_1", ["e1", "e2"])).toEqual([first?.event]);
      expect(await store.getEvents("org_2", ["e1"])).toEqual([]);
      expect((await store.putEvents("org_2", [event]))[0]?.isNew).toBe(true);
      expect(await store.putEvents("org_1", [])).toEqual([]);
    });

    it("name the version of what is registered in their organisation when they are read", async () => {
      const { store } = subjectOf();
      const version = async (): Promise<number> => (await store.configVersions()).get("org_1") ?? 0;
      const register = (n: number) => store.putEntry("org_1", "trigger", "t", { n }, 1);
      const none = await store.putEvents("org_nothing", [sent("e0")]);
      expect(none.map(({ event }) => event.configVersion)).toEqual([0]);
      await register(1);
      const first = await version();
      expect((await put(sent("e1"))).configVersion).toBe(first);
      await register(2);
      expect(await version()).toBeGreaterThan(first);
      expect((await put(sent("e1"))).configVersion).toBe(await version());
      expect((await put(sent("e2"))).configVersion).toBe(await version());
      await register(3);
      const read = await store.getEvents("org_1", ["e1", "e2"]);
      expect(read.map(({ configVersion }) => configVersion)).toEqual([await version(), await version()]);
      await register(4);
      const claimed = await store.claimMarkedEvents(0, 10);
      const versions = claimed.map(({ orgId, configVersion }) => [orgId, configVersion]);
      expect(versions).toContainEqual(["org_1", await version()]);
      expect(versions).toContainEqual(["org_nothing", 0]);
    });

    it("answer many in the order given, new and known", async () => {
      const { store } = subjectOf();
      await store.putEvents("org_1", [sent("b")]);
      const answered = await store.putEvents("org_1", [sent("c"), sent("b"), sent("a")]);
      expect(answered.map(({ event: { id }, isNew }) => [id, isNew])).toEqual([
        ["c", true],
        ["b", false],
        ["a", true],
      ]);
    });

    it("are listed newest first, page by page, by type, while they are kept", async () => {
      const { store, passTime } = subjectOf();
      for (const id of ["a", "b", "c"]) {
        await store.putEvents("org_1", [sent(id, id === "b" ? { type: "order.sent" } : {})]);
        await passTime(10);
      }
      const first = await store.listEvents("org_1", {}, { limit: 2, cursor: null });
      expect(ids(first.data)).toEqual(["c", "b"]);
      expect(ids((await store.listEvents("org_1", {}, { limit: 2, cursor: first.nextCursor })).data)).toEqual(["a"]);
      expect(ids((await store.listEvents("org_1", { type: "order.paid" }, PAGE)).data)).toEqual(["c", "a"]);
      expect((await store.listEvents("org_2", {}, PAGE)).data).toEqual([]);
      await passTime(HOUR_MS);
      expect((await store.listEvents("org_1", {}, PAGE)).data).toEqual([]);
    });

    it("go when they are no longer kept, and not while they are marked; their ids can be used again", async () => {
      const { store, passTime } = subjectOf();
      await store.putEvents("org_1", [sent("a"), sent("b"), sent("long", { keepMs: 2 * HOUR_MS })]);
      await store.unmarkEvents([
        { orgId: "org_1", id: "a" },
        { orgId: "org_1", id: "long" },
      ]);
      await passTime(HOUR_MS + 1_000);
      expect((await store.putEvents("org_1", [sent("b", { data: 2 })]))[0]?.isNew).toBe(false);
      expect(await store.deleteExpiredEvents(10)).toBe(1);
      expect(ids(await store.getEvents("org_1", ["a", "b", "long"])).sort()).toEqual(["b", "long"]);
      await store.unmarkEvents([{ orgId: "org_1", id: "b" }]);
      expect(await store.putEvents("org_1", [sent("b", { data: 2 })])).toMatchObject([
        { isNew: true, event: { data: 2 } },
      ]);
      expect(await store.deleteExpiredEvents(10)).toBe(0);
    });
  });

  describe("nodes that wait for events", () => {
    it("are found by type and the whole key, if they waited for events of that time", async () => {
      const { store } = subjectOf();
      const event = await put(sent("e1"));
      const late = event.receivedAt + 60_000;
      await store.commit([
        creation(
          "run_1",
          {},
          { waiters: [waiter("a"), waiter("b", { since: late }), waiter("c", { since: event.receivedAt })] },
        ),
        creation("run_2", {}, { waiters: [waiter("a"), waiter("x", { type: "order.sent" })] }),
        creation("run_3", {}, { waiters: [waiter("a", { keyDigest: keyDigest({ order: "o2" }) })] }),
      ]);
      expect(names(await store.waitersOf(event, null, 10))).toEqual(["run_1/a", "run_1/c", "run_2/a"]);
      const [first] = await store.waitersOf(event, null, 1);
      expect(first).toEqual({ ...waiter("a"), orgId: "org_1", runId: "run_1" });
      expect(names(await store.waitersOf(event, first ?? null, 10))).toEqual(["run_1/c", "run_2/a"]);
      expect(await store.waitersOf(await put(sent("e1"), "org_2"), null, 10)).toEqual([]);
    });

    it("go with the commit that ends their wait, and wait anew with the one that says so", async () => {
      const { store } = subjectOf();
      const event = await put(sent("e1"));
      await store.commit([creation("run_1", {}, { waiters: [waiter("a"), waiter("b")] })]);
      await store.commit([
        share("run_1", 1, logFrom(2, 1), {
          waitersEnded: ["a", "b"],
          waiters: [waiter("b", { epoch: 1, blockedBy: 9 })],
        }),
      ]);
      expect(await store.waitersOf(event, null, 10)).toMatchObject([{ nodeId: "b", epoch: 1, blockedBy: 9 }]);
      await store.commit([share("run_1", 1, logFrom(3, 1), { waitersEnded: ["b"] })]);
      // Another replica had moved the run on: nothing of that commit counts.
      expect(await store.waitersOf(event, null, 10)).toHaveLength(1);
    });

    it("find events received since their run began, oldest first, of which none has expired", async () => {
      const { store, passTime } = subjectOf();
      await put(sent("old"));
      await passTime(1_000);
      await put(sent("first"));
      await passTime(10);
      await put(sent("brief", { keepMs: 1 }));
      await passTime(10);
      await put(sent("other", { key: {} }));
      await put(sent("last"));
      const kept = await store.getEvents("org_1", ["old", "first"]);
      const momentOf = (id: string): number => kept.find((event) => event.id === id)?.receivedAt ?? 0;
      const since = momentOf("first");
      const waiting = { ...waiter("a", { since }), orgId: "org_1", runId: "run_1" };
      expect(ids(await store.eventsFor(waiting, null, 10))).toEqual(["first", "last"]);
      const [first] = await store.eventsFor(waiting, null, 1);
      expect(ids(await store.eventsFor(waiting, first ?? null, 10))).toEqual(["last"]);
      expect(ids(await store.eventsFor({ ...waiting, since: momentOf("old") }, null, 1))).toEqual(["old"]);
      expect(await store.eventsFor({ ...waiting, orgId: "org_2" }, null, 10)).toEqual([]);
    });

    it("keep their run from counting as stalled", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { waiters: [waiter("a")] })]);
      expect(await store.listStalled(10)).toEqual([]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { waitersEnded: ["a"] })]);
      expect(await store.listStalled(10)).toEqual(["run_1"]);
    });
  });

  describe("marks", () => {
    it("stand on what was written and not looked up, and are claimed by one replica at a time", async () => {
      const { store, rival, passTime } = subjectOf();
      await store.putEvents("org_1", [sent("e1"), sent("e2")]);
      await store.commit([creation("run_1", {}, { waiters: [waiter("a"), waiter("b")] })]);
      expect(await store.claimMarkedEvents(5_000, 10)).toEqual([]);
      expect(await store.claimMarkedWaiters(5_000, 10)).toEqual([]);
      await passTime(5_000);
      const claims = await Promise.all([store.claimMarkedEvents(5_000, 10), rival.claimMarkedEvents(5_000, 10)]);
      expect(ids(claims.flat()).sort()).toEqual(["e1", "e2"]);
      expect(names(await store.claimMarkedWaiters(5_000, 1))).toHaveLength(1);
      expect(names(await rival.claimMarkedWaiters(5_000, 10))).toHaveLength(1);
      await store.unmarkEvents([{ orgId: "org_1", id: "e1" }]);
      await store.unmarkWaiters([{ runId: "run_1", nodeId: "a", blockedBy: 4 }]);
      await passTime(5_000);
      expect(ids(await store.claimMarkedEvents(5_000, 10))).toEqual(["e2"]);
      expect(names(await store.claimMarkedWaiters(5_000, 10))).toEqual(["run_1/b"]);
      await store.unmarkWaiters([{ runId: "run_1", nodeId: "b", blockedBy: 3 }]);
      await passTime(5_000);
      // The mark of a wait that began later stays.
      expect(names(await store.claimMarkedWaiters(5_000, 10))).toEqual(["run_1/b"]);
    });

    it("stand on events that a commit emits, which count only with it", async () => {
      const { store, passTime } = subjectOf();
      await store.commit([creation("run_1", {}, { emitted: [sent("run_1/a/0"), sent("run_1/b/0")] })]);
      expect(ids(await store.getEvents("org_1", ["run_1/a/0", "run_1/b/0"])).sort()).toEqual([
        "run_1/a/0",
        "run_1/b/0",
      ]);
      await store.commit([share("run_1", 7, logFrom(2, 1), { emitted: [sent("run_1/c/0")] })]);
      expect(await store.getEvents("org_1", ["run_1/c/0"])).toEqual([]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { emitted: [sent("run_1/a/0", { data: "other" })] })]);
      expect(await store.getEvents("org_1", ["run_1/a/0"])).toMatchObject([{ data: { amount: 1 } }]);
      await passTime(5_000);
      expect(await store.claimMarkedEvents(5_000, 10)).toHaveLength(2);
    });
  });

  describe("an event and a node that begins to wait", () => {
    it("see one another from at least one side, however they meet", async () => {
      const { store, rival } = subjectOf();
      for (let round = 0; round < 20; round += 1) {
        const key = { order: `m${round}` };
        const digest = keyDigest(key);
        const runId = `run_${round}`;
        const waiting = { ...waiter("a", { keyDigest: digest }), orgId: "org_1", runId };
        const commit = async (): Promise<number> => {
          await store.commit([creation(runId, {}, { waiters: [waiter("a", { keyDigest: digest })] })]);
          return (await store.eventsFor(waiting, null, 10)).length;
        };
        const receive = async (): Promise<number> => {
          const [one] = await rival.putEvents("org_1", [sent(`e${round}`, { key })]);
          return (await rival.waitersOf(required(one, "it was put").event, null, 10)).length;
        };
        const seen = await Promise.all(round % 2 === 0 ? [commit(), receive()] : [receive(), commit()]);
        expect(Math.max(...seen)).toBe(1);
      }
    });
  });
}
