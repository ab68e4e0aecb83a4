import { describe, expect, it } from "vitest";
import { creation, logFrom, share, WRITTEN } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function idempotencyRules(subjectOf: SubjectOf): void {
  describe("an idempotency key", () => {
    const scope = { orgId: "org_1", keyId: "key_1", workflow: "triage", key: "nonce" };
    const idempotency = { ...scope, bodyHash: "h1" };

    it("starts one run, and recognises the later requests", async () => {
      const { store } = subjectOf();
      expect(await store.findIdempotent(scope)).toBeUndefined();
      expect(await store.commit([creation("run_1", { idempotency })])).toEqual(WRITTEN);
      expect(await store.findIdempotent(scope)).toEqual({ runId: "run_1", bodyHash: "h1" });
      const outcome = await store.commit([
        creation("run_2", { idempotency: { ...idempotency, bodyHash: "h2" } }),
        creation("run_3", { idempotency: { ...idempotency, keyId: "key_2" } }),
        creation("run_4"),
      ]);
      const duplicates = [{ runId: "run_2", existingRunId: "run_1", bodyHash: "h1" }];
      expect(outcome).toEqual({ isOverLimit: false, conflicts: [], duplicates });
      expect(await store.getRun("org_1", "run_2")).toBeUndefined();
      expect(await store.loadRuns(["run_2"])).toEqual([]);
      expect(await store.getRun("org_1", "run_3")).toBeDefined();
      expect(await store.getRun("org_1", "run_4")).toBeDefined();
    });

    it("names the run itself when a creation is submitted again", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", { idempotency })]);
      const { conflicts, duplicates } = await store.commit([creation("run_1", { idempotency })]);
      expect({ conflicts, duplicates }).toEqual({
        conflicts: [],
        duplicates: [{ runId: "run_1", existingRunId: "run_1", bodyHash: "h1" }],
      });
    });

    it("stays with its run when a later commit of that run is refused", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", { idempotency })]);
      const other = { ...idempotency, key: "another" };
      const outcome = await store.commit([share("run_1", 9, logFrom(2, 1)), creation("run_2", { idempotency: other })]);
      expect(outcome).toEqual({ isOverLimit: false, conflicts: ["run_1"], duplicates: [] });
      expect((await store.commit([creation("run_1", { idempotency: { ...other, key: "third" } })])).conflicts).toEqual([
        "run_1",
      ]);
      expect(await store.findIdempotent(scope)).toEqual({ runId: "run_1", bodyHash: "h1" });
      expect(await store.findIdempotent({ ...scope, key: "third" })).toBeUndefined();
    });

    it("is not taken by a run that was not created", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1")]);
      expect((await store.commit([creation("run_1", { idempotency })])).conflicts).toEqual(["run_1"]);
      expect(await store.findIdempotent(scope)).toBeUndefined();
      expect(await store.commit([creation("run_2", { idempotency })])).toEqual(WRITTEN);
    });

    it("stands for one of a batch, and of two clients", async () => {
      const { store, rival } = subjectOf();
      const both = await store.commit([creation("run_1", { idempotency }), creation("run_2", { idempotency })]);
      expect(both.duplicates).toEqual([{ runId: "run_2", existingRunId: "run_1", bodyHash: "h1" }]);
      const other = { ...idempotency, key: "another" };
      const outcomes = await Promise.all([
        store.commit([creation("run_3", { idempotency: other })]),
        rival.commit([creation("run_4", { idempotency: other })]),
      ]);
      expect(outcomes.flatMap(({ duplicates }) => duplicates)).toHaveLength(1);
      const runs = await Promise.all(["run_3", "run_4"].map((id) => store.getRun("org_1", id)));
      expect(runs.filter((run) => run !== undefined)).toHaveLength(1);
    });

    it("is free again after a day", async () => {
      const { store, passTime } = subjectOf();
      await store.commit([creation("run_1", { idempotency })]);
      await passTime(24 * 3_600_000 - 60_000);
      expect(await store.findIdempotent(scope)).toBeDefined();
      await passTime(60_001);
      expect(await store.findIdempotent(scope)).toBeUndefined();
      expect(await store.commit([creation("run_2", { idempotency: { ...idempotency, bodyHash: "h2" } })])).toEqual(
        WRITTEN,
      );
      expect(await store.findIdempotent(scope)).toEqual({ runId: "run_2", bodyHash: "h2" });
    });
  });
}
