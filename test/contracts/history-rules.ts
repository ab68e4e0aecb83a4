import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { DeletedFamily, Deletion, Store } from "../../src/store/index.ts";
import { delivery, PAGE } from "./listeners.ts";
import { approval, completed, creation, logFrom, type Parts } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const ENDED = { status: "completed", endedAt: 2_000 } as const;
const LARGE = "x".repeat(70_000);

const note = ({ runId, runIds, workflow }: DeletedFamily) =>
  auditEntry({
    at: 1,
    type: "run.deleted",
    actor: "ann",
    resource: `run/${runId}`,
    run: runId,
    detail: { workflow, runs: runIds.length },
  });

const remove = (store: Store, runId: string, orgId = "org_1"): Promise<Deletion> =>
  store.deleteFamily(orgId, runId, note);

const report = { nodeId: "a", attempt: 1, agentId: "ada", sessionId: "s", messages: [], logs: "secret", at: 1 };

export function historyRules(subjectOf: SubjectOf): void {
  const ended = (runId: string, run: object = {}, parts: Parts = {}): ReturnType<typeof creation> =>
    creation(runId, run, { ...parts, head: { ...ENDED, ...parts.head } });

  describe("deleting runs", () => {
    it("deletes several families that are as they were, and leaves the others", async () => {
      const { store } = subjectOf();
      await store.commit(["run_1", "run_2"].map((runId) => ended(runId)));
      await store.commit([creation("run_3")]);
      const families = await Promise.all(
        ["run_2", "run_1", "run_3", "run_4"].map(async (runId) => ({
          runId,
          as: await store.familyOf("org_1", runId),
        })),
      );
      const changed = families.map((family) =>
        family.runId === "run_1" ? { ...family, as: family.as.map((one) => ({ ...one, rowVersion: 9 })) } : family,
      );
      expect(await store.deleteFamilies("org_1", changed, note)).toBe(1);
      const left = await Promise.all(["run_1", "run_2", "run_3"].map((runId) => store.getRun("org_1", runId)));
      expect(left.map((run) => run?.runId)).toEqual(["run_1", undefined, "run_3"]);
      expect(await store.deleteFamilies("org_2", families, note)).toBe(0);
      expect(await store.deleteFamilies("org_1", families, note)).toBe(1);
      expect(await store.deleteFamilies("org_1", [], note)).toBe(0);
    });

    it("takes the whole family and everything that is kept of it, and notes it in the audit", async () => {
      const { store } = subjectOf();
      await store.commit([
        ended("run_1", {}, { reports: [report], approvalsOpened: [approval("apr_1", "run_1")] }),
        ended("run_2", { parentRunId: "run_1", parentNode: "a", parentAttempt: 1 }),
        ended("run_3", { parentRunId: "run_2", parentNode: "a", parentAttempt: 1, block: "steps/0" }),
        ended("run_4"),
      ]);
      await store.addDeliveries([delivery("msg_1", { runId: "run_3" }), delivery("msg_2", { runId: "run_4" })]);
      expect(await remove(store, "run_1")).toEqual({
        kind: "deleted",
        runId: "run_1",
        workflow: "triage",
        runIds: ["run_1", "run_2", "run_3"],
      });
      for (const runId of ["run_1", "run_2", "run_3"]) {
        expect(await store.getRun("org_1", runId)).toBeUndefined();
        expect(await store.readEvents("org_1", runId, 0, 10)).toEqual([]);
      }
      expect(await store.loadRuns(["run_1", "run_2", "run_3", "run_4"])).toMatchObject([{ run: { runId: "run_4" } }]);
      expect(await store.reportsOf("org_1", "run_1", "a")).toEqual([]);
      expect(await store.getApproval("org_1", "apr_1")).toBeUndefined();
      const { data } = await store.listDeliveries("org_1", "ops", PAGE);
      expect(data.map(({ id }) => id)).toEqual(["msg_2"]);
      expect(await store.listPendingOrganisations(0, 10)).toEqual(["org_1"]);
      expect(await remove(store, "run_1")).toEqual({ kind: "unknown" });
    });

    it("is refused while a run of the family is open, or an open run was started from one", async () => {
      const { store } = subjectOf();
      const child = { parentRunId: "run_1", parentNode: "a", parentAttempt: 1 };
      await store.commit([ended("run_1"), creation("run_2", child), ended("run_3"), ended("run_4", child)]);
      await store.commit([creation("run_5", { sourceRunId: "run_3" }), ended("run_6", { sourceRunId: "run_3" })]);
      expect(await remove(store, "run_1")).toEqual({ kind: "open", runId: "run_2" });
      expect(await remove(store, "run_2")).toEqual({ kind: "child", rootRunId: "run_1" });
      expect(await remove(store, "run_4")).toEqual({ kind: "child", rootRunId: "run_1" });
      expect(await remove(store, "run_5")).toEqual({ kind: "open", runId: "run_5" });
      expect(await remove(store, "run_3")).toEqual({ kind: "in_use", by: "run_5" });
      expect(await remove(store, "run_3", "org_2")).toEqual({ kind: "unknown" });
      expect(await remove(store, "run_\0")).toEqual({ kind: "unknown" });
      expect(await store.listPendingOrganisations(0, 10)).toEqual([]);
      expect((await store.loadRuns(["run_1", "run_2", "run_3", "run_4"])).map(({ events }) => events)).toEqual(
        Array.from({ length: 4 }, () => logFrom(0, 2)),
      );
    });

    it("removes large values that nothing else refers to, and no others", async () => {
      const { store } = subjectOf();
      const large = (runId: string, texts: Record<string, string>): ReturnType<typeof creation> =>
        ended(runId, {}, { events: [completed(1, texts)] });
      await store.commit([large("run_1", { own: `${LARGE}1`, shared: LARGE }), large("run_2", { shared: LARGE })]);
      const refs = (await store.readEvents("org_1", "run_1", 0, 10))[0]?.refs ?? [];
      const [own = "", shared = ""] = refs.map(({ hash }) => hash);
      expect(await remove(store, "run_1")).toMatchObject({ kind: "deleted" });
      expect(await store.getBlob("org_1", own)).toBeUndefined();
      expect(await store.getBlob("org_1", shared)).toBe(LARGE);
      expect(await remove(store, "run_2")).toMatchObject({ kind: "deleted" });
      expect(await store.getBlob("org_1", shared)).toBeUndefined();
      await store.commit([large("run_3", { shared: LARGE })]);
      expect(await store.getBlob("org_1", shared)).toBe(LARGE);
    });

    it("loses no value that another program refers to at the same time", async () => {
      const { store, rival } = subjectOf();
      for (let turn = 0; turn < 10; turn += 1) {
        await store.commit([ended(`run_${turn}`, {}, { events: [completed(1, { shared: LARGE })] })]);
        await Promise.all([
          remove(store, `run_${turn}`),
          rival.commit([ended(`run_1${turn}`, {}, { events: [completed(1, { shared: LARGE })] })]),
        ]);
        expect((await store.loadRuns([`run_1${turn}`]))[0]?.events).toEqual([completed(1, { shared: LARGE })]);
        await remove(store, `run_1${turn}`);
      }
    });
  });
}
