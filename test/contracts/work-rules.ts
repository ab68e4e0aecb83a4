import { describe, expect, it } from "vitest";
import type { OpenAttempt } from "../../src/store/index.ts";
import { creation, openAttempt } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const TTL_MS = 15_000;

export function workRules(subjectOf: SubjectOf): void {
  describe("work for workers", () => {
    const attempt = (nodeId: string, functionName: string, isOnce = false): OpenAttempt =>
      openAttempt(nodeId, {
        work: { function: functionName, isOnce, request: { inputs: { of: nodeId, text: 'a "quote" \u2028' } } },
      });
    const key = (nodeId: string) => ({ runId: "run_1", nodeId, attempt: 1 });
    const byWorker = (work: readonly { readonly workerId: string; readonly nodeId: string }[]): string[] =>
      work.map(({ workerId, nodeId }) => `${workerId} ${nodeId}`).sort();

    it("is given out once, to each worker in turn, and only what it can do", async () => {
      const { store, rival } = subjectOf();
      const opened = [attempt("a", "f"), attempt("b", "f"), attempt("c", "f"), attempt("d", "g"), openAttempt("e")];
      await store.commit([creation("run_1", {}, { opened })]);
      const given = await store.claimWork("org_1", ["f"], ["w1", "w2"], TTL_MS);
      expect(byWorker(given).map((line) => line.slice(0, 2))).toEqual(["w1", "w2"]);
      expect(given[0]?.request).toMatchObject({ inputs: { of: given[0]?.nodeId, text: 'a "quote" \u2028' } });
      expect(await rival.claimWork("org_1", ["f"], ["w3", "w3"], TTL_MS)).toHaveLength(1);
      expect(await store.claimWork("org_1", ["f"], ["w1"], TTL_MS)).toEqual([]);
      expect(await store.claimWork("org_2", ["f", "g"], ["w1"], TTL_MS)).toEqual([]);
      expect(byWorker(await store.claimWork("org_1", ["f", "g"], ["w1"], TTL_MS))).toEqual(["w1 d"]);
    });

    it("is given out once also when replicas ask at the same time", async () => {
      const { store, rival } = subjectOf();
      const opened = Array.from({ length: 40 }, (_, index) => attempt(`n${index}`, "f"));
      await store.commit([creation("run_1", {}, { opened })]);
      const takers = Array.from({ length: 15 }, () => "w1");
      const claims = [store, rival, store, rival].map((one) => one.claimWork("org_1", ["f"], takers, TTL_MS));
      const given = (await Promise.all(claims)).flat();
      const rest = await store.claimWork(
        "org_1",
        ["f"],
        Array.from({ length: 100 }, () => "w2"),
        TTL_MS,
      );
      const names = [...given, ...rest].map(({ nodeId }) => nodeId);
      expect(new Set(names).size).toBe(40);
      expect(names).toHaveLength(40);
    });

    it("goes to another when its worker is gone, unless it may be done only once", async () => {
      const { store, passTime } = subjectOf();
      await store.commit([creation("run_1", {}, { opened: [attempt("a", "f"), attempt("b", "f", true)] })]);
      await store.claimWork("org_1", ["f"], ["w1", "w1"], TTL_MS);
      await passTime(TTL_MS - 1_000);
      expect(await store.renewWork("org_1", "w1", [key("a"), key("x")], TTL_MS)).toEqual([key("a")]);
      expect(await store.renewWork("org_1", "w2", [key("a")], TTL_MS)).toEqual([]);
      expect(await store.renewWork("org_2", "w1", [key("a")], TTL_MS)).toEqual([]);
      await passTime(2_000);
      expect(await store.lostWork(10)).toEqual([key("b")]);
      expect(await store.claimWork("org_1", ["f"], ["w2", "w2"], TTL_MS)).toEqual([]);
      await passTime(TTL_MS);
      expect(byWorker(await store.claimWork("org_1", ["f"], ["w2", "w2"], TTL_MS))).toEqual(["w2 a"]);
      expect(await store.renewWork("org_1", "w1", [key("a")], TTL_MS)).toEqual([]);
    });

    it("is given back by a worker that leaves, but for what it keeps", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { opened: [attempt("a", "f", true), attempt("b", "f", true)] })]);
      await store.claimWork("org_1", ["f"], ["w1", "w1"], TTL_MS);
      expect(await store.releaseWork("org_1", "w2", [])).toBe(0);
      expect(await store.releaseWork("org_1", "w1", [key("a")])).toBe(1);
      expect(byWorker(await store.claimWork("org_1", ["f"], ["w2", "w2"], TTL_MS))).toEqual(["w2 b"]);
      expect(await store.releaseWork("org_1", "w1", [])).toBe(1);
    });

    it("is free again once it is returned in the name of its worker, also when it may be done only once", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { opened: [attempt("a", "f", true), attempt("b", "f", true)] })]);
      await store.claimWork("org_1", ["f"], ["w1", "w1"], TTL_MS);
      const held = { ...key("a"), workerId: "w1" };
      await store.returnWork("org_2", [held]);
      await store.returnWork("org_1", [
        { ...held, workerId: "w2" },
        { ...held, nodeId: "x" },
      ]);
      expect(await store.claimWork("org_1", ["f"], ["w2", "w2"], TTL_MS)).toEqual([]);
      await store.returnWork("org_1", [held]);
      expect(byWorker(await store.claimWork("org_1", ["f"], ["w2", "w2"], TTL_MS))).toEqual(["w2 a"]);
    });

    it("is not loaded with its run, and gone with its attempt", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { opened: [attempt("a", "f")] })]);
      const [loaded] = await store.loadRuns(["run_1"]);
      expect(loaded?.openAttempts).toEqual([openAttempt("a")]);
    });
  });

  describe("workers", () => {
    it("are there until they leave or are silent for too long", async () => {
      const { store, rival, passTime } = subjectOf();
      await store.putWorker("org_1", { workerId: "w2", functions: ["f", "g"] }, 10_000);
      await store.putWorker("org_1", { workerId: "w1", functions: ["f"] }, 20_000);
      await store.putWorker("org_2", { workerId: "w3", functions: ["h"] }, 20_000);
      expect(await rival.listWorkers("org_1")).toEqual([
        { workerId: "w1", functions: ["f"] },
        { workerId: "w2", functions: ["f", "g"] },
      ]);
      expect(await store.listOffered(["org_2", "org_1", "org_3"])).toEqual([
        { orgId: "org_1", name: "f" },
        { orgId: "org_1", name: "g" },
        { orgId: "org_2", name: "h" },
      ]);
      await passTime(11_000);
      expect(await store.listOffered(["org_1"])).toEqual([{ orgId: "org_1", name: "f" }]);
      expect(await store.listWorkers("org_1")).toEqual([{ workerId: "w1", functions: ["f"] }]);
      await store.removeWorker("org_1", "w1");
      expect(await store.listWorkers("org_1")).toEqual([]);
    });
  });
}
