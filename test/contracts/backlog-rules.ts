import { describe, expect, it } from "vitest";
import { approval, creation, logFrom, openAttempt, share } from "./shares.ts";
import { ALONE } from "./listeners.ts";
import type { SubjectOf } from "./store-contract.ts";

export function backlogRules(subjectOf: SubjectOf): void {
  const waitingRuns = { person: 0, event: 0, timer: 0, gate: 0 };
  const NOTHING = { openRuns: 0, waitingRuns, openAttempts: 0, pendingApprovals: 0, pendingDeliveries: 0, lagMs: 0 };

  describe("the backlog", () => {
    it("is nothing at first", async () => {
      expect(await subjectOf().store.readBacklog()).toEqual(NOTHING);
    });

    it("counts what is open in every organisation, and nothing that is closed", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", {}, { opened: [openAttempt("a"), openAttempt("b")] }),
        creation("run_2", {}, { orgId: "org_2", approvalsOpened: [approval("apr_1", "run_2", { orgId: "org_2" })] }),
        creation("run_3"),
      ]);
      expect(await store.readBacklog()).toEqual({ ...NOTHING, openRuns: 3, openAttempts: 2, pendingApprovals: 1 });
      await store.commit([
        share("run_1", 1, logFrom(2, 1), {
          closed: [{ nodeId: "a", attempt: 1 }],
          head: { status: "completed", endedAt: 2_000 },
        }),
      ]);
      expect(await store.readBacklog()).toMatchObject({ openRuns: 2, openAttempts: 1, pendingApprovals: 1 });
    });

    it("says what an organisation keeps, and nothing of what others do", async () => {
      const { store } = subjectOf();
      expect(await store.readStorage("org_1")).toEqual({ files: 0, values: 0, logs: 0 });
      await store.commit([creation("run_1"), creation("run_2"), creation("run_3", {}, { orgId: "org_2" })]);
      const { files, values, logs } = await store.readStorage("org_1");
      expect({ files, values }).toEqual({ files: 0, values: 0 });
      expect(logs).toBeGreaterThan(0);
      expect((await store.readStorage("org_2")).logs).toBeLessThan(logs);
    });

    it("counts deliveries until they are settled", async () => {
      const { store } = subjectOf();
      const delivery = { orgId: "org_1", targetId: "ops", type: "run.completed", body: "{}", ...ALONE };
      await store.addDeliveries(["a", "b"].map((id) => ({ ...delivery, id })));
      expect(await store.readBacklog()).toMatchObject({ pendingDeliveries: 2 });
      const [claimed] = await store.claimDeliveries(1, 60_000, []);
      const settlement = { state: "delivered", retryMs: null, status: 200, error: null } as const;
      await store.settleDelivery(claimed?.id ?? "", claimed?.claim ?? 0, settlement);
      expect(await store.readBacklog()).toMatchObject({ pendingDeliveries: 1 });
    });

    it("lags as far as what is most overdue", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const timer = (nodeId: string) => ({ kind: "retry", nodeId, retries: 1 }) as const;
      await store.commit([creation("run_1", {}, { timersSet: [{ timer: timer("a"), dueAt: now + 3_600_000 }] })]);
      expect(await store.readBacklog()).toMatchObject({ lagMs: 0 });
      await store.commit([
        share("run_1", 1, logFrom(2, 1), { timersSet: [{ timer: timer("b"), dueAt: now - 60_000 }] }),
      ]);
      const { lagMs } = await store.readBacklog();
      expect(lagMs).toBeGreaterThanOrEqual(60_000);
      expect(lagMs).toBeLessThan(120_000);
    });
  });
}
