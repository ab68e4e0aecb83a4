import { describe, expect, it } from "vitest";
import type { OwnWait, WaitingFor } from "../../src/core/event/index.ts";
import { BadCursor, type Listed, type Page } from "../../src/store/index.ts";
import { approval, creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

/** Every page of a list, as a client would fetch them. */
async function pages<T>(list: (page: Page) => Promise<Listed<T>>, limit: number): Promise<T[][]> {
  const found: T[][] = [];
  let cursor: string | null = null;
  do {
    const listed: Listed<T> = await list({ limit, cursor });
    found.push([...listed.data]);
    cursor = listed.nextCursor;
  } while (cursor !== null);
  return found;
}

export function listRules(subjectOf: SubjectOf): void {
  describe("lists of runs", () => {
    it("are newest first, in pages that are exactly full or end", async () => {
      const { store } = subjectOf();
      const ids = ["run_e", "run_d", "run_c", "run_b", "run_a"];
      await store.commit(ids.map((id, index) => creation(id, { createdAt: 9_000 - 1_000 * Math.min(index, 3) })));
      const list = (page: Page) => store.listRuns("org_1", {}, page);
      const idsOf = async (limit: number) => (await pages(list, limit)).map((page) => page.map(({ runId }) => runId));
      expect(await idsOf(2)).toEqual([["run_e", "run_d"], ["run_c", "run_b"], ["run_a"]]);
      expect(await idsOf(5)).toEqual([ids]);
      expect(await idsOf(100)).toEqual([ids]);
      expect(await store.listRuns("org_2", {}, { limit: 10, cursor: null })).toEqual({ data: [], nextCursor: null });
    });

    it("continue where they were, whatever is added meanwhile", async () => {
      const { store } = subjectOf();
      await store.commit([1, 2, 3, 4].map((at) => creation(`run_${at}`, { createdAt: at })));
      const first = await store.listRuns("org_1", {}, { limit: 2, cursor: null });
      await store.commit([creation("run_5", { createdAt: 5 }), creation("run_0", { createdAt: 0 })]);
      const rest = await store.listRuns("org_1", {}, { limit: 10, cursor: first.nextCursor });
      expect(rest.data.map(({ runId }) => runId)).toEqual(["run_2", "run_1", "run_0"]);
    });

    it("are filtered by status, workflow and parent", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1"),
        creation("run_2", { workflow: "other", parentRunId: "run_1" }),
        creation("run_3", { parentRunId: "run_1" }, { head: { status: "failed" } }),
      ]);
      const ids = async (filter: Parameters<typeof store.listRuns>[1]) =>
        (await store.listRuns("org_1", filter, { limit: 10, cursor: null })).data.map(({ runId }) => runId);
      expect(await ids({ status: "failed" })).toEqual(["run_3"]);
      expect(await ids({ workflow: "triage" })).toEqual(["run_3", "run_1"]);
      expect(await ids({ parentRunId: "run_1" })).toEqual(["run_3", "run_2"]);
      expect(await ids({ parentRunId: "run_1", status: "running", workflow: "other" })).toEqual(["run_2"]);
      expect(await ids({ workflow: "' or true --" })).toEqual([]);
    });

    it("leave out runs of blocks, which are neither listed nor counted, and are found by their id", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1"),
        creation("run_2", { parentRunId: "run_1", block: "a/b.0" }, { head: { waitingFor: "timer" } }),
      ]);
      const ids = async (filter: Parameters<typeof store.listRuns>[1]) =>
        (await store.listRuns("org_1", filter, { limit: 10, cursor: null })).data.map(({ runId }) => runId);
      expect(await ids({})).toEqual(["run_1"]);
      expect(await ids({ parentRunId: "run_1" })).toEqual([]);
      expect((await store.getRun("org_1", "run_2"))?.block).toBe("a/b.0");
      expect((await store.loadRuns(["run_2"]))[0]?.run.block).toBe("a/b.0");
      expect(await store.countOpenRuns("org_1")).toBe(1);
      expect(await store.readBacklog()).toMatchObject({ openRuns: 1, waitingRuns: { timer: 0 } });
      const live = async (runIds: readonly string[]) =>
        (await store.listLiveRuns({ orgIds: ["org_1"], createdSince: 0, runIds, limit: 10 })).map(({ runId }) => runId);
      expect(await live([])).toEqual(["run_1"]);
      expect(await live(["run_2"])).toEqual(["run_2", "run_1"]);
    });

    it("are filtered by what they wait for, which changes with every commit", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", {}, { head: { waitingFor: "person" } }),
        creation("run_2", {}, { head: { waitingFor: "gate" } }),
        creation("run_3"),
      ]);
      const waiting = async (waitingFor: WaitingFor) =>
        (await store.listRuns("org_1", { waitingFor }, { limit: 10, cursor: null })).data.map(({ runId }) => runId);
      expect(await waiting("person")).toEqual(["run_1"]);
      expect((await store.readBacklog()).waitingRuns).toEqual({ person: 1, event: 0, timer: 0, gate: 1 });
      await store.commit([
        share("run_1", 1, logFrom(2, 1)),
        share("run_3", 1, logFrom(2, 1), { head: { waitingFor: "timer" } }),
      ]);
      expect([await waiting("person"), await waiting("gate"), await waiting("timer")]).toEqual([
        [],
        ["run_2"],
        ["run_3"],
      ]);
      expect(await store.getRun("org_1", "run_3")).toMatchObject({ waitingFor: "timer" });
      expect((await store.listRuns("org_2", { waitingFor: "gate" }, { limit: 10, cursor: null })).data).toEqual([]);
    });

    it("wait with their child runs: for a person at once, for anything else when all of the family do", async () => {
      const { store } = subjectOf();
      const run = (runId: string, parentRunId: string | null, waitingFor: OwnWait | null) =>
        creation(runId, { parentRunId }, { head: { waitingFor } });
      await store.commit([
        // Its own work goes on beside the child that asks.
        run("run_a", null, null),
        run("run_a1", "run_a", "child"),
        run("run_a2", "run_a1", "person"),
        run("run_b", null, "child"),
        run("run_b1", "run_b", "gate"),
        run("run_b2", "run_b", "timer"),
        run("run_c", null, "child"),
        run("run_c1", "run_c", "gate"),
        run("run_c2", "run_c", null),
        run("run_d", null, null),
      ]);
      const all = ["a", "a1", "a2", "b", "b1", "b2", "c", "c1", "c2", "d", "none"].map((name) => `run_${name}`);
      const shown = async () =>
        Object.fromEntries([...(await store.readWaiting(all))].map(([id, wait]) => [id.slice(4), wait]));
      const found = async (waitingFor: WaitingFor) =>
        (await store.listRuns("org_1", { waitingFor }, { limit: 10, cursor: null })).data
          .map(({ runId }) => runId.slice(4))
          .toSorted()
          .join(" ");
      const person = { a: "person", a1: "person", a2: "person" };
      expect(await shown()).toEqual({ ...person, b: "gate", b1: "gate", b2: "timer", c1: "gate" });
      expect([await found("person"), await found("gate"), await found("timer"), await found("event")]).toEqual([
        "a a1 a2",
        "b b1 c1",
        "b2",
        "",
      ]);
      expect((await store.readBacklog()).waitingRuns).toEqual({ person: 3, gate: 3, timer: 1, event: 0 });
      // A child that ended says nothing any more.
      const ended = { status: "completed", endedAt: 2_000, waitingFor: null } as const;
      await store.commit(["run_a2", "run_c2"].map((id) => share(id, 1, logFrom(2, 1), { head: ended })));
      expect(await shown()).toEqual({ b: "gate", b1: "gate", b2: "timer", c: "gate", c1: "gate" });
      expect([await found("person"), await found("gate")]).toEqual(["", "b b1 c c1"]);
    });

    it.each([
      "",
      "x",
      "!!",
      "e30",
      "WzFd",
      "WzEsMl0",
      "WyJhIiwiYiJd",
      Buffer.from('[1,"\\u0000"]').toString("base64url"),
    ])("refuse the cursor %j", async (cursor) => {
      await expect(subjectOf().store.listRuns("org_1", {}, { limit: 1, cursor })).rejects.toThrow(BadCursor);
    });
  });

  describe("events", () => {
    it("are read after a cursor, no more than asked, across commits", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { events: logFrom(0, 3) }), creation("run_2")]);
      await store.commit([share("run_1", 1, logFrom(3, 1))]);
      await store.commit([share("run_1", 2, logFrom(4, 4))]);
      for (let after = 0; after <= 9; after += 1) {
        for (const limit of [1, 2, 3, 5, 100]) {
          const expected = logFrom(0, 8).slice(after, after + limit);
          expect(await store.readEvents("org_1", "run_1", after, limit)).toEqual(expected);
        }
      }
      expect(await store.readEvents("org_2", "run_1", 0, 10)).toEqual([]);
      expect(await store.readEvents("org_1", "run_0", 0, 10)).toEqual([]);
    });
  });

  it.each(["\0", "run_1\0", "\ud800", "' or '1' = '1", "", "%", "\u{1F600}".repeat(500)])(
    "finds nothing under %j",
    async (id) => {
      const { store } = subjectOf();
      await store.commit([creation("run_1")]);
      const page = { limit: 10, cursor: null };
      expect(await store.getRun("org_1", id)).toBeUndefined();
      expect(await store.getRun(id, "run_1")).toBeUndefined();
      expect(await store.readEvents("org_1", id, 0, 10)).toEqual([]);
      expect(await store.getBlob("org_1", id)).toBeUndefined();
      expect(await store.getApproval("org_1", id)).toBeUndefined();
      expect(await store.getWorkflow("org_1", id)).toBeUndefined();
      expect(await store.getVersion("org_1", id, 1)).toBeUndefined();
      expect(await store.getDefinition("org_1", id)).toBeUndefined();
      expect(await store.setWorkflowStatus("org_1", id, "paused")).toBe(false);
      expect(await store.findKey(id)).toBeUndefined();
      expect(await store.revokeKey("org_1", id, 1)).toBe(false);
      expect(await store.findIdempotent({ orgId: "org_1", keyId: id, workflow: id, key: id })).toBeUndefined();
      expect((await store.listRuns("org_1", { workflow: id }, page)).data).toEqual([]);
      expect((await store.listRuns("org_1", { parentRunId: id }, page)).data).toEqual([]);
    },
  );

  it("finds nothing beyond any number there can be", async () => {
    const { store } = subjectOf();
    await store.commit([creation("run_1")]);
    for (const number of [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
      expect(await store.readEvents("org_1", "run_1", number, 100)).toEqual([]);
      expect(await store.getVersion("org_1", "triage", number)).toBeUndefined();
    }
  });

  describe("approvals", () => {
    const closing = {
      id: "apr_1",
      status: "approved",
      choice: "approve",
      resolvedBy: "ann",
      resolvedAt: 1_500,
      reason: 'fine "so far"\0',
      modifications: { command: "ls" },
    } as const;

    it("open and close with their run, and are listed newest first", async () => {
      const { store } = subjectOf();
      const opened = [approval("apr_1", "run_1"), approval("apr_2", "run_1", { requestedAt: 2_000 })];
      await store.commit([creation("run_1", {}, { approvalsOpened: opened })]);
      expect(await store.getApproval("org_1", "apr_1")).toEqual(opened[0]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { approvalsClosed: [closing] })]);
      expect(await store.getApproval("org_1", "apr_1")).toEqual({ ...opened[0], ...closing });
      const ids = async (status: "pending" | "approved" | null) =>
        (await store.listApprovals("org_1", status, { limit: 10, cursor: null })).data.map(({ id }) => id);
      expect(await ids(null)).toEqual(["apr_2", "apr_1"]);
      expect(await ids("pending")).toEqual(["apr_2"]);
      expect(await ids("approved")).toEqual(["apr_1"]);
      const list = (page: Page) => store.listApprovals("org_1", null, page);
      expect((await pages(list, 1)).map((page) => page.length)).toEqual([1, 1]);
    });

    it("change while they are open: answers, the next in the chain, and what is asked", async () => {
      const { store } = subjectOf();
      const opened = approval("apr_1", "run_1", { quorum: 3 });
      await store.commit([creation("run_1", {}, { approvalsOpened: [opened] })]);
      const answers = [{ by: "ann", byId: "key_1", personId: "per_1", decision: "approve", at: 5 }] as const;
      const noted = { id: "apr_1", hop: 0, answers };
      await store.commit([share("run_1", 1, logFrom(2, 1), { approvalsChanged: [noted] })]);
      expect(await store.getApproval("org_1", "apr_1")).toEqual({ ...opened, answers });
      const revised = { id: "apr_1", hop: 1, answers: [], title: "Now?", subjectDigest: "sha256:2", entered: { n: 1 } };
      const foreign = { id: "apr_2", hop: 7, answers: [] };
      await store.commit([share("run_1", 2, logFrom(3, 1), { approvalsChanged: [revised, foreign] })]);
      expect(await store.getApproval("org_1", "apr_1")).toEqual({ ...opened, ...revised });
      const ended = { approvalsChanged: [{ ...noted, hop: 2 }], approvalsClosed: [{ ...closing, answers }] };
      await store.commit([share("run_1", 3, logFrom(4, 1), ended)]);
      expect(await store.getApproval("org_1", "apr_1")).toMatchObject({ status: "approved", hop: 2, answers });
    });

    it("may open and close in one commit, and belong to their run and organisation", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", {}, { approvalsOpened: [approval("apr_1", "run_1")], approvalsClosed: [closing] }),
        creation("run_2", {}, { approvalsOpened: [approval("apr_2", "run_2")] }),
      ]);
      expect(await store.getApproval("org_1", "apr_1")).toMatchObject({ status: "approved", reason: closing.reason });
      await store.commit([share("run_1", 1, logFrom(2, 1), { approvalsClosed: [{ ...closing, id: "apr_2" }] })]);
      expect(await store.getApproval("org_1", "apr_2")).toMatchObject({ status: "pending" });
      expect(await store.getApproval("org_2", "apr_1")).toBeUndefined();
      expect((await store.listApprovals("org_2", null, { limit: 10, cursor: null })).data).toEqual([]);
    });
  });
}
