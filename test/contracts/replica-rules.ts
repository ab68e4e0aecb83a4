import { describe, expect, it } from "vitest";
import type { Head, Recoverable } from "../../src/store/index.ts";
import { approval, creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function replicaRules(subjectOf: SubjectOf): void {
  const opened = (replicaId: string, ...nodes: string[]) =>
    nodes.map((nodeId) => ({ nodeId, attempt: 1, replicaId, deadlineAt: null, agentId: null, reserved: [] }));

  describe("replicas", () => {
    it("live as long as they renew their lease", async () => {
      const { store, passTime } = subjectOf();
      expect(await store.renewReplica("rep_1", 10_000)).toBe(false);
      await store.registerReplica("rep_1", 10_000, false);
      await passTime(5_000);
      expect(await store.renewReplica("rep_1", 10_000)).toBe(true);
      await passTime(5_001);
      expect(await store.renewReplica("rep_1", 10_000)).toBe(true);
      await passTime(10_001);
      expect(await store.renewReplica("rep_1", 10_000)).toBe(false);
      await store.registerReplica("rep_1", 10_000, false);
      expect(await store.renewReplica("rep_1", 10_000)).toBe(true);
      await store.retireReplica("rep_1");
      expect(await store.renewReplica("rep_1", 10_000)).toBe(false);
    });

    it("take over the attempts of those that are gone, and only those", async () => {
      const { store, passTime } = subjectOf();
      await store.registerReplica("rep_1", 10_000, false);
      await store.registerReplica("rep_2", 60_000, false);
      await store.registerReplica("rep_3", 60_000, false);
      await store.commit([
        creation("run_1", {}, { opened: [...opened("rep_1", "a", "b"), ...opened("rep_2", "c")] }),
        creation("run_2", {}, { opened: opened("rep_1", "a") }),
      ]);
      expect(await store.takeOver("rep_3", 10)).toEqual([]);
      await passTime(10_001);
      expect(await store.takeOver("rep_3", 1)).toEqual([{ runId: "run_1", nodeId: "a", attempt: 1 }]);
      expect(await store.takeOver("rep_3", 10)).toEqual([
        { runId: "run_1", nodeId: "b", attempt: 1 },
        { runId: "run_2", nodeId: "a", attempt: 1 },
      ]);
      expect(await store.takeOver("rep_3", 10)).toEqual([]);
      expect((await store.loadRuns(["run_1"]))[0]?.openAttempts.map(({ replicaId }) => replicaId)).toEqual([
        "rep_3",
        "rep_3",
        "rep_2",
      ]);
      await store.retireReplica("rep_3");
      await store.retireReplica("rep_2");
      expect(await store.takeOver("rep_3", 10)).toEqual([]);
      await store.registerReplica("rep_4", 10_000, false);
      expect(await store.takeOver("rep_4", 10)).toHaveLength(4);
    });

    it("that supersede all others orphan them at once", async () => {
      const { store } = subjectOf();
      await store.registerReplica("rep_1", 60_000, true);
      await store.commit([creation("run_1", {}, { opened: opened("rep_1", "a") })]);
      await store.registerReplica("rep_2", 60_000, true);
      expect(await store.renewReplica("rep_1", 60_000)).toBe(false);
      expect(await store.takeOver("rep_2", 10)).toEqual([{ runId: "run_1", nodeId: "a", attempt: 1 }]);
    });

    it("that take over at once share the orphans out", async () => {
      const { store, rival } = subjectOf();
      await store.registerReplica("rep_1", 60_000, false);
      await store.registerReplica("rep_2", 60_000, false);
      const ids = Array.from({ length: 40 }, (_, index) => `run_${index}`);
      await store.commit(ids.map((id) => creation(id, {}, { opened: opened("rep_0", "a", "b") })));
      const taken: string[] = [];
      for (let round = 0; round < 20 && taken.length < 80; round += 1) {
        const both = await Promise.all([store.takeOver("rep_1", 9), rival.takeOver("rep_2", 9)]);
        taken.push(...both.flat().map(({ runId, nodeId }) => `${runId}/${nodeId}`));
      }
      expect(taken).toHaveLength(80);
      expect(new Set(taken).size).toBe(80);
    });
  });

  describe("a stalled run", () => {
    it("is open and waits for no attempt, timer, approval or child", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1"),
        creation("run_2", {}, { opened: opened("rep_1", "a") }),
        creation("run_3", {}, { timersSet: [{ timer: { kind: "run", epoch: 0 }, dueAt: 9e12 }] }),
        creation("run_4", {}, { approvalsOpened: [approval("apr_1", "run_4")] }),
        creation("run_5", {}, { head: { status: "completed" } }),
        creation("run_6"),
        creation("run_7", { parentRunId: "run_6" }, { opened: opened("rep_1", "a") }),
        creation("run_8", {}, { head: { status: "queued" } }),
      ]);
      expect(await store.listStalled(10)).toEqual(["run_1", "run_8"]);
      expect(await store.listStalled(1)).toEqual(["run_1"]);
      const closed = [{ nodeId: "a", attempt: 1 }];
      await store.commit([share("run_7", 1, logFrom(2, 1), { head: { status: "failed" }, closed })]);
      expect(await store.listStalled(10)).toEqual(["run_1", "run_6", "run_8"]);
    });
  });

  describe("a run that may be recovered", () => {
    it("is listed in the order of its end, page by page, while it has failed and may be tried again", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const ended = (runId: string, agoMs: number, head: Partial<Head> = {}, recoveryMax = 1) =>
        creation(runId, { recoveryMax }, { head: { status: "failed", endedAt: now - agoMs, ...head } });
      await store.commit([
        ended("run_1", 10),
        ended("run_2", 20, { status: "timed_out" }),
        ended("run_4", 30),
        ended("run_3", 30, { epoch: 2 }, 3),
        ended("run_5", 40, { epoch: 1 }),
        ended("run_6", 50, { status: "cancelled" }),
        ended("run_7", 25 * 3_600_000),
        creation("run_8"),
      ]);
      const pageAfter = (after: Recoverable | null) => store.listRecoverable(2, after);
      const first = await pageAfter(null);
      expect(first).toEqual([
        { orgId: "org_1", runId: "run_3", epoch: 2, endedAt: now - 30 },
        { orgId: "org_1", runId: "run_4", epoch: 0, endedAt: now - 30 },
      ]);
      const second = await pageAfter(first[1] ?? null);
      expect(second.map(({ runId }) => runId)).toEqual(["run_2", "run_1"]);
      expect(await pageAfter(second[1] ?? null)).toEqual([]);
    });
  });
}
