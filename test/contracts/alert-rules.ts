import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { RunStatus } from "../../src/core/event/index.ts";
import { ALONE } from "./listeners.ts";
import { approval, creation, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

/** What alerts look at, and that each is reported once. */
export function alertRules(subjectOf: SubjectOf): void {
  describe("alerts", () => {
    it("are looked for by one holder at a time", async () => {
      const { store, rival, passTime } = subjectOf();
      const taken = await Promise.all([store.takeLease("alerts", "a", 60_000), rival.takeLease("alerts", "b", 60_000)]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      const [holder, other] = taken[0] ? ["a", "b"] : ["b", "a"];
      expect(await store.takeLease("alerts", holder ?? "", 60_000)).toBe(true);
      expect(await store.takeLease("alerts", other ?? "", 60_000)).toBe(false);
      expect(await store.takeLease("else", other ?? "", 60_000)).toBe(true);
      await store.dropLease("alerts", other ?? "");
      expect(await store.takeLease("alerts", other ?? "", 60_000)).toBe(false);
      await passTime(61_000);
      expect(await store.takeLease("alerts", other ?? "", 60_000)).toBe(true);
      await store.dropLease("alerts", other ?? "");
      expect(await store.takeLease("alerts", holder ?? "", 60_000)).toBe(true);
    });

    it("fire once under a key, with what is reported about them", async () => {
      const { store, rival } = subjectOf();
      const delivery = { id: "m", orgId: "org_1", targetId: "ops", type: "alert.fired", body: "{}", ...ALONE };
      const entry = auditEntry({ at: 1, type: "budget.alert", actor: "sluice", resource: "budget/b", detail: {} });
      const fired = await Promise.all(
        [store, rival, store].map((one, index) =>
          one.fireAlert("org_1", "k", { at: 1, audit: entry, deliveries: [{ ...delivery, id: `m${index}` }] }),
        ),
      );
      expect(fired.filter(Boolean)).toHaveLength(1);
      expect((await store.listDeliveries("org_1", "ops", { limit: 9, cursor: null })).data).toHaveLength(1);
      expect(await store.listPendingOrganisations(0, 9)).toEqual(["org_1"]);
      expect(await store.fireAlert("org_2", "k", { at: 1, audit: null, deliveries: [] })).toBe(true);
      expect(await store.listPendingOrganisations(0, 9)).toEqual(["org_1"]);
    });

    it("count runs by when and how they ended", async () => {
      const { store } = subjectOf();
      const ended = (runId: string, status: RunStatus, endedAt: number) =>
        creation(runId, {}, { head: { status, endedAt } });
      await store.commit([
        ended("r1", "failed", 100),
        ended("r2", "timed_out", 101),
        ended("r3", "completed", 100),
        ended("r4", "cancelled", 100),
        ended("r5", "failed", 99),
        creation("r6"),
        { ...ended("r7", "failed", 100), orgId: "org_2" },
        // A block fails with the run it belongs to, which counts once.
        creation("r8", { block: "each" }, { head: { status: "failed", endedAt: 100 } }),
      ]);
      expect(await store.countEnded("org_1", 100)).toEqual({ all: 4, failed: 2 });
      expect(await store.countEnded("org_1", 102)).toEqual({ all: 0, failed: 0 });
      await store.commit([share("r1", 1, [], { head: { status: "running", endedAt: null, lastEventId: 2 } })]);
      expect(await store.countEnded("org_1", 100)).toEqual({ all: 3, failed: 1 });
    });

    it("find approvals that wait too long and were not reported yet", async () => {
      const { store } = subjectOf();
      const opened = [
        approval("apr_1", "run_1", { requestedAt: 30 }),
        approval("apr_2", "run_1", { requestedAt: 10 }),
        approval("apr_3", "run_1", { requestedAt: 31 }),
        approval("apr_4", "run_1", { requestedAt: 10, status: "approved" }),
      ];
      await store.commit([creation("run_1", {}, { approvalsOpened: opened })]);
      const found = async (limit = 9): Promise<readonly string[]> =>
        (await store.listOverdueApprovals("org_1", 30, "rule/", limit)).map(({ approvalId }) => approvalId);
      expect(await found()).toEqual(["apr_2", "apr_1"]);
      expect(await found(1)).toEqual(["apr_2"]);
      await store.fireAlert("org_1", "rule/apr_2", { at: 1, audit: null, deliveries: [] });
      expect(await found()).toEqual(["apr_1"]);
      expect(await store.listOverdueApprovals("org_2", 30, "rule/", 9)).toEqual([]);
    });
  });
}
