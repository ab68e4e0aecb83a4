import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { LiveQuery } from "../../src/store/index.ts";
import { approval, creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function liveRules(subjectOf: SubjectOf): void {
  const query: LiveQuery = { orgIds: ["org_1"], createdSince: 1_000_000, runIds: [], known: new Map(), limit: 100 };
  const ended = { head: { status: "completed", endedAt: 2_000, costMicros: 7 } } as const;

  describe("live runs", () => {
    it("are those that are open, new or named, newest first, of the organisations asked for", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", { createdAt: 1_000 }),
        creation("run_2", { createdAt: 2_000 }, ended),
        creation("run_3", { createdAt: 1_000_000 }, ended),
        creation("run_4", { createdAt: 3_000 }, { orgId: "org_2" }),
      ]);
      const ids = async (more: Partial<LiveQuery>) =>
        (await store.listLiveRuns({ ...query, ...more })).map(({ runId }) => runId);
      expect(await ids({})).toEqual(["run_3", "run_1"]);
      expect(await ids({ runIds: ["run_2", "run_4", "run_none"] })).toEqual(["run_3", "run_2", "run_1"]);
      expect(await ids({ orgIds: ["org_1", "org_2"] })).toEqual(["run_3", "run_4", "run_1"]);
      expect(await ids({ limit: 1 })).toEqual(["run_3"]);
      expect(await ids({ orgIds: [] })).toEqual([]);
      expect(await ids({ limit: 1, runIds: ["run_1", "run_2"] })).toEqual(["run_3", "run_2", "run_1"]);
      expect(await ids({ createdSince: null, runIds: ["run_2"] })).toEqual(["run_2"]);
      expect(await ids({ createdSince: null })).toEqual([]);
    });

    it("are left out while they are known as they are", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", { createdAt: 1_000 }), creation("run_2", { createdAt: 2_000 })]);
      const ids = async (known: LiveQuery["known"], more: Partial<LiveQuery> = {}) =>
        (await store.listLiveRuns({ ...query, ...more, known })).map(({ runId }) => runId);
      expect(await ids(new Map([["run_1", 1]]))).toEqual(["run_2"]);
      expect(await ids(new Map([["run_1", 1]]), { createdSince: null, runIds: ["run_1"] })).toEqual([]);
      await store.commit([share("run_1", 1, logFrom(2, 1))]);
      const known = new Map([
        ["run_1", 1],
        ["run_2", 1],
      ]);
      expect(await ids(known)).toEqual(["run_1"]);
      expect(await ids(known, { createdSince: null, runIds: ["run_1", "run_2"] })).toEqual(["run_1"]);
      // What is known takes no place of those that are not.
      expect(await ids(known, { limit: 1 })).toEqual([]);
    });

    it("report approvals that were assigned or commented on", async () => {
      const { store } = subjectOf();
      const opened = [approval("apr_1", "run_1"), approval("apr_2", "run_1"), approval("apr_3", "run_1")];
      await store.commit([creation("run_1", {}, { approvalsOpened: opened })]);
      const since = await store.now();
      expect(await store.listNotedApprovals(["org_1"], 0)).toEqual([]);
      const entry = auditEntry({ at: 1, type: "approval.assigned", actor: "ann", resource: "approval/x", detail: {} });
      const comment = { id: "cmt_1", at: 1, by: "ann", byId: null, personId: null, text: "so" };
      await store.addComment("org_1", "apr_1", comment, entry);
      await store.assignApproval("org_1", "apr_2", "user:ann", entry);
      const ids = async (orgIds: readonly string[], from: number) =>
        (await store.listNotedApprovals(orgIds, from)).map(({ id }) => id).toSorted();
      expect(await ids(["org_1"], since)).toEqual(["apr_1", "apr_2"]);
      expect(await ids(["org_2"], since)).toEqual([]);
      expect(await ids(["org_1"], since + 3_600_000)).toEqual([]);
    });

    it("are worth reading again when commits of another replica were reported", async () => {
      const { store } = subjectOf();
      const before = await store.countCommitReports();
      expect(await store.countCommitReports()).toBe(before);
      await store.reportCommits();
      expect(await store.countCommitReports()).toBe(before + 1);
      await store.reportCommits();
      expect(await store.countCommitReports()).toBe(before + 2);
    });

    it("carry their head and which approvals wait", async () => {
      const { store } = subjectOf();
      const opened = [approval("apr_2", "run_1"), approval("apr_1", "run_1")];
      await store.commit([creation("run_1", {}, { approvalsOpened: opened })]);
      expect(await store.listLiveRuns(query)).toMatchObject([
        { runId: "run_1", orgId: "org_1", workflow: "triage", status: "running", pendingApprovals: ["apr_1", "apr_2"] },
      ]);
      const closing = {
        id: "apr_1",
        status: "approved",
        choice: "approve",
        resolvedBy: "user:ann",
        resolvedAt: 3_000,
        reason: null,
        modifications: null,
      } as const;
      const [before] = await store.listLiveRuns(query);
      await store.commit([share("run_1", 1, logFrom(before?.lastEventId ?? 0, 1), { approvalsClosed: [closing] })]);
      const [after] = await store.listLiveRuns(query);
      expect(after).toMatchObject({ rowVersion: 2, pendingApprovals: ["apr_2"] });
    });
  });
}
