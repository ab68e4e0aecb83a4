import { describe, expect, it } from "vitest";
import type { NodeWait } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function waitingRules(subjectOf: SubjectOf): void {
  describe("nodes that wait at a gate", () => {
    const wait = (nodeId: string, since: number, parts: Partial<NodeWait> = {}): NodeWait => ({
      nodeId,
      queue: "agent/a",
      rank: 0,
      since,
      dueAt: since + 600,
      replicaId: null,
      ...parts,
    });
    const queue = { orgId: "org_1", queue: "agent/a" };
    const names = (nodes: readonly { readonly nodeId: string }[]): string[] => nodes.map(({ nodeId }) => nodeId);

    it("are claimed once, by rank, the longest wait first, and no more than asked", async () => {
      const { store, rival } = subjectOf();
      const waits = [wait("d", 5, { rank: 1 }), wait("b", 20), wait("a", 10), wait("e", 6, { rank: 1 })];
      await store.commit([
        creation("run_1", {}, { waits }),
        creation("run_2", {}, { waits: [wait("c", 30), wait("x", 1, { queue: "budget/b" })] }),
      ]);
      expect(await store.backlogQueues(10)).toEqual([queue, { orgId: "org_1", queue: "budget/b" }]);
      expect(await store.backlogQueues(1)).toEqual([queue]);
      expect(names(await store.claimWaiting(queue, "rep_1", 2))).toEqual(["a", "b"]);
      expect(await rival.claimWaiting(queue, "rep_2", 2)).toEqual([
        { runId: "run_2", nodeId: "c", rank: 0, since: 30 },
        { runId: "run_1", nodeId: "d", rank: 1, since: 5 },
      ]);
      expect(names(await store.claimWaiting(queue, "rep_1", 2))).toEqual(["e"]);
      expect(await store.claimWaiting(queue, "rep_1", 2)).toEqual([]);
      expect(await store.backlogQueues(10)).toEqual([{ orgId: "org_1", queue: "budget/b" }]);
    });

    it("are claimed by priority, and some of each lower one with every claim", async () => {
      const { store } = subjectOf();
      const many = (name: string, rank: number, since: number): NodeWait[] =>
        Array.from({ length: 10 }, (_, index) => wait(`${name}${index}`, since + index, { rank }));
      const waits = [...many("high", 0, 300), ...many("normal", 3, 200), ...many("low", 4, 100)];
      await store.commit([creation("run_1", {}, { waits })]);
      const first = ["high0", "high1", "high2", "high3", "normal0", "low0"];
      expect(names(await store.claimWaiting(queue, "rep_1", 4))).toEqual(first);
      expect(names(await store.claimWaiting(queue, "rep_1", 2))).toEqual(["high4", "high5", "normal1", "low1"]);
      expect(await store.claimWaiting(queue, "rep_1", 100)).toHaveLength(20);
    });

    it("are claimed once also when replicas claim at the same time", async () => {
      const { store, rival } = subjectOf();
      const waits = Array.from({ length: 40 }, (_, index) => wait(`n${index}`, index));
      await store.commit([creation("run_1", {}, { waits })]);
      const claims = [store, rival, store, rival].map((one, index) => one.claimWaiting(queue, `rep_${index}`, 10));
      const claimed = (await Promise.all(claims)).flatMap(names);
      expect(new Set(claimed).size).toBe(claimed.length);
      const rest = names(await store.claimWaiting(queue, "rep_9", 100));
      expect([...claimed, ...rest].sort()).toEqual(waits.map(({ nodeId }) => nodeId).sort());
    });

    it("go back to the backlog when the replica that claimed them is gone, and not before", async () => {
      const { store } = subjectOf();
      await store.registerReplica("rep_1", 10_000, false);
      const waits = [wait("a", 1, { replicaId: "rep_1" }), wait("b", 2, { replicaId: "rep_1" }), wait("c", 3)];
      await store.commit([creation("run_1", {}, { waits })]);
      expect(await store.releaseWaiting(10)).toBe(0);
      expect(names(await store.claimWaiting(queue, "rep_2", 10))).toEqual(["c"]);
      await store.retireReplica("rep_1");
      // The claim of a replica that was never known counts no more than that of a dead one.
      expect(await store.releaseWaiting(2)).toBe(2);
      expect(await store.releaseWaiting(10)).toBe(1);
      expect(names(await store.claimWaiting(queue, "rep_3", 10))).toEqual(["a", "b", "c"]);
    });

    it("are loaded with the timers of their run, are due like them, and keep it from counting as stalled", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const timersSet = [{ timer: { kind: "retry", nodeId: "r", retries: 1 } as const, dueAt: now + 1_000_000 }];
      const waits = [wait("a", now, { dueAt: now - 5 })];
      await store.commit([creation("run_1", {}, { timersSet, waits })]);
      const due = { kind: "queue", nodeId: "a", limitedSince: now };
      expect((await store.loadRuns(["run_1"]))[0]?.timers).toEqual([timersSet[0]?.timer, due]);
      expect(await store.dueTimers(10)).toEqual([{ runId: "run_1", timer: due, dueAt: now - 5 }]);
      expect(await store.nextDueAt()).toBe(now - 5);
      await store.commit([
        share("run_1", 1, logFrom(2, 1), { timersCleared: [{ kind: "retry", nodeId: "r", retries: 1 }] }),
      ]);
      expect(await store.listStalled(10)).toEqual([]);
      await store.commit([share("run_1", 2, logFrom(3, 1), { waitsEnded: ["a", "never"] })]);
      expect(await store.listStalled(10)).toEqual(["run_1"]);
      expect((await store.loadRuns(["run_1"]))[0]?.timers).toEqual([]);
    });

    it("move when they wait for something else; one that ends and begins again in one commit waits on", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { waits: [wait("a", 1), wait("b", 2)] })]);
      const moved = wait("a", 7, { queue: "agent/z", replicaId: "rep_1" });
      await store.commit([share("run_1", 1, logFrom(2, 1), { waits: [moved], waitsEnded: ["a", "b"] })]);
      expect(await store.backlogQueues(10)).toEqual([]);
      expect((await store.loadRuns(["run_1"]))[0]?.timers).toEqual([{ kind: "queue", nodeId: "a", limitedSince: 7 }]);
    });

    it("of a share that came too late are not written", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { waits: [wait("a", 1)] })]);
      await store.commit([share("run_1", 1, logFrom(2, 1))]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { waits: [wait("b", 2)], waitsEnded: ["a"] })]);
      expect(names(await store.claimWaiting(queue, "rep_1", 10))).toEqual(["a"]);
    });
  });
}
