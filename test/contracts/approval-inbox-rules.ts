import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { Subject } from "../../src/core/event/index.ts";
import {
  type Answerer,
  type ApprovalFilter,
  type ApprovalListing,
  type ApprovalRecord,
  type LaunchApproval,
  NO_RUN,
} from "../../src/store/index.ts";
import { approval, creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const OPEN = 5_000;
const PER_COMMIT = 500;

const entry = auditEntry({ at: 1, type: "approval.assigned", actor: "ann", resource: "approval/x", detail: {} });

/** A key that has asked for nothing. */
const ANSWERER: Answerer = {
  names: [],
  id: "key_9",
  agentId: null,
  isKnown: true,
  ownRequesters: [],
  deputised: [],
};

export function subject(parts: Partial<Subject> = {}): Subject {
  return {
    title: "Pay it?",
    workflow: "triage",
    version: 1,
    startedBy: "ann",
    trigger: "api",
    args: { to: "ann", amount: 5 },
    request: { provider: "process", model: null, message: "pay ann 5", stdin: null, inputs: { amount: 5 }, tools: [] },
    shown: [],
    parents: {},
    costMicros: 0,
    estimateMicros: null,
    policies: [],
    agent: null,
    action: null,
    answers: [{ decision: "approve", effect: "It is paid." }],
    ...parts,
  };
}

/** Finding approvals among many, comments and assignment. */
export function approvalInboxRules(subjectOf: SubjectOf): void {
  const open = async (...approvals: readonly ApprovalRecord[]): Promise<void> => {
    const runs = [...new Set(approvals.map(({ runId }) => runId))];
    await subjectOf().store.commit(
      runs.map((runId) => creation(runId, {}, { approvalsOpened: approvals.filter((each) => each.runId === runId) })),
    );
  };
  const found = async (filter: ApprovalFilter, more: Partial<ApprovalListing> = {}) => {
    const listing = { filter, order: "newest", withSubject: false, isGrouped: false, ...more } as const;
    return (await subjectOf().store.findApprovals("org_1", listing, { limit: 10, cursor: null })).data;
  };
  const ids = async (filter: ApprovalFilter, more: Partial<ApprovalListing> = {}) =>
    (await found(filter, more)).map((row) => row.approval.id);

  describe("the inbox", () => {
    it("finds approvals by status, workflow, source, run, age and text", async () => {
      await open(
        approval("apr_1", "run_1", { workflow: "pay", title: "Pay Änn?", source: "policy", subject: subject() }),
        approval("apr_2", "run_2", { workflow: "send", requestedAt: 2_000, nodeId: "letter", summary: "100% \\ 'x'" }),
        approval("apr_3", "run_2", { requestedAt: 3_000, subject: subject({ args: { iban: "DE12" } }) }),
      );
      const closing = { id: "apr_3", status: "approved", choice: "approve", resolvedBy: "ann", resolvedAt: 1 } as const;
      const closed = [{ ...closing, reason: null, modifications: null }];
      await subjectOf().store.commit([share("run_2", 1, logFrom(2, 1), { approvalsClosed: closed })]);
      expect(await ids({})).toEqual(["apr_3", "apr_2", "apr_1"]);
      expect(await ids({ status: "pending" })).toEqual(["apr_2", "apr_1"]);
      expect(await ids({ status: "closed" })).toEqual(["apr_3"]);
      expect(await ids({ status: "rejected" })).toEqual([]);
      expect(await ids({ workflow: "pay" })).toEqual(["apr_1"]);
      expect(await ids({ source: "policy" })).toEqual(["apr_1"]);
      expect(await ids({ runId: "run_2" })).toEqual(["apr_3", "apr_2"]);
      expect(await ids({ requestedUntil: 2_000 })).toEqual(["apr_2", "apr_1"]);
      for (const [text, wanted] of [
        ["pay änn", "apr_1"],
        ["LETTER", "apr_2"],
        ["de12", "apr_3"],
        ["iban", "apr_3"],
        ["apr_2", "apr_2"],
        ["run_1", "apr_1"],
        ["100% \\ 'x'", "apr_2"],
        ["%", "apr_2"],
        ["_", "apr_3 apr_2 apr_1"],
        ["nothing like this", ""],
      ] as const) {
        expect((await ids({ text })).join(" "), text).toBe(wanted);
      }
      expect(await ids({ status: "pending", workflow: "send", text: "letter", source: "gate" })).toEqual(["apr_2"]);
      expect(await ids({ workflow: "' or true --" })).toEqual([]);
      expect(await ids({ workflow: "pay\0" })).toEqual([]);
      const rival = { filter: {}, order: "newest", withSubject: false, isGrouped: false } as const;
      const others = await subjectOf().store.findApprovals("org_2", rival, { limit: 10, cursor: null });
      expect(others).toEqual({ data: [], nextCursor: null });
    });

    it("orders them by when they were asked or expire, page by page", async () => {
      await open(
        approval("apr_1", "run_1", { requestedAt: 1_000, expiresAt: 9_000 }),
        approval("apr_2", "run_1", { requestedAt: 2_000, expiresAt: 7_000 }),
        approval("apr_3", "run_1", { requestedAt: 2_000, expiresAt: 7_000 }),
        approval("apr_4", "run_1", { requestedAt: 3_000, expiresAt: 8_000 }),
      );
      const pages = async (order: ApprovalListing["order"]) => {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const listing = { filter: { status: "pending" }, order, withSubject: false, isGrouped: false } as const;
          const page: Awaited<ReturnType<ReturnType<SubjectOf>["store"]["findApprovals"]>> =
            await subjectOf().store.findApprovals("org_1", listing, { limit: 3, cursor });
          seen.push(page.data.map((row) => row.approval.id.slice(-1)).join(""));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return seen;
      };
      expect(await pages("newest")).toEqual(["432", "1"]);
      expect(await pages("oldest")).toEqual(["123", "4"]);
      expect(await pages("expiring")).toEqual(["234", "1"]);
    });

    it("leaves subjects out of lists unless they are wanted, and keeps them whole", async () => {
      const shown = subject({ shown: [{ label: "Letter", kind: "text", value: 'so "\u0000" \u001e ends' }] });
      const one = approval("apr_1", "run_1", { subject: shown, subjectDigest: "sha256:2" });
      await open(one);
      expect((await found({}))[0]?.approval).toEqual({ ...one, subject: null });
      expect((await found({}, { withSubject: true }))[0]?.approval).toEqual(one);
      expect(await subjectOf().store.getApproval("org_1", "apr_1")).toEqual(one);
      const revised = { ...shown, title: "Pay less?" };
      const change = {
        id: "apr_1",
        hop: 0,
        answers: [],
        title: "Pay less?",
        subject: revised,
        subjectDigest: "sha256:3",
      };
      await subjectOf().store.commit([share("run_1", 1, logFrom(2, 1), { approvalsChanged: [change] })]);
      expect(await subjectOf().store.getApproval("org_1", "apr_1")).toEqual({ ...one, ...change });
      expect(await ids({ text: "pay less" })).toEqual(["apr_1"]);
    });

    it("knows what a caller may answer: asked so far, not answered, not started", async () => {
      const chain = [
        { who: "role:finance", withinMs: 1_000 },
        { who: "user:Ann@example.com", withinMs: null },
      ];
      const answers = [{ by: "bob", byId: "key_2", personId: "per_2", decision: "approve", at: 1 } as const];
      await open(
        approval("apr_1", "run_1", { approvers: [] }),
        approval("apr_2", "run_1", { approvers: chain }),
        approval("apr_3", "run_1", { approvers: chain, hop: 1 }),
        approval("apr_4", "run_1", { approvers: [], quorum: 2, answers }),
        approval("apr_5", "run_1", { approvers: [], isSeparate: true }),
      );
      const launch: LaunchApproval = {
        ...approval("apr_6", NO_RUN, { approvers: [], isSeparate: true, expiresAt: Date.now() + 3_600_000 }),
        requestedBy: "key_3",
      };
      await subjectOf().store.askLaunch(launch, entry);
      const mine = async (names: readonly string[] | null, id: string, more: Partial<Answerer> = {}) => {
        const filter = { answerer: { ...ANSWERER, names, id, ...more } };
        const list = (await ids(filter)).toSorted().map((id) => id.slice(-1));
        expect(await subjectOf().store.countApprovals("org_1", filter)).toBe(list.length);
        return list.join("");
      };
      expect(await mine([], "key_9")).toBe("1456");
      expect(await mine(["role:finance"], "key_9")).toBe("123456");
      expect(await mine(["user:ann@Example.com"], "key_9")).toBe("13456");
      expect(await mine(["role:fin", "finance"], "key_9")).toBe("1456");
      expect(await mine(null, "key_9")).toBe("123456");
      expect(await mine([], "key_9", { isKnown: false })).toBe("14");
      expect(await mine([], "per_2")).toBe("156");
      expect(await mine([], "key_2")).toBe("156");
      // Who has requested what waits for a second person; whoever is behind them is not the second.
      expect((await subjectOf().store.listSeparateRequesters("org_1")).toSorted()).toEqual(["key_1", "key_3"]);
      expect(await mine([], "key_9", { ownRequesters: ["key_1"] })).toBe("146");
      expect(await mine([], "key_9", { ownRequesters: ["key_3", "key_7"] })).toBe("145");
      expect(await mine([], "key_9", { agentId: "agent_1" })).toBe("1456");
    });

    it("knows what a deputy may answer, and an agent, and leaves out what does not wait", async () => {
      const asked = { approvers: [{ who: "role:finance", withinMs: null }] };
      await open(
        approval("apr_1", "run_1", { ...asked, isSeparate: true }),
        approval("apr_2", "run_1", asked),
        approval("apr_3", "run_1", { approvers: [], agentId: 'agent "1"' }),
        approval("apr_4", "run_1", { approvers: [], status: "approved" }),
      );
      const mine = async (more: Partial<Answerer>) =>
        (await ids({ answerer: { ...ANSWERER, ...more } }))
          .toSorted()
          .map((id) => id.slice(-1))
          .join("");
      const names = ["role:finance", "user:ann"];
      expect(await mine({ names })).toBe("123");
      // The work of the member the caller stands in for is not answered under that member's names.
      expect(await mine({ names, deputised: [{ requester: "key_1", names: [] }] })).toBe("23");
      expect(await mine({ names, deputised: [{ requester: "key_1", names: ["role:finance"] }] })).toBe("123");
      expect(await mine({ names, deputised: [{ requester: "key_2", names: [] }] })).toBe("123");
      expect(await mine({ names, agentId: 'agent "1"' })).toBe("12");
      expect(await ids({ status: "closed", answerer: ANSWERER })).toEqual([]);
    });

    it("groups what differs in nothing but its args", async () => {
      const asks = (to: string, more: Partial<Subject> = {}): Subject =>
        subject({
          title: `Pay ${to}?`,
          args: { to, amount: 5 },
          request: { provider: "process", model: null, message: `pay ${to} 5`, stdin: null, inputs: { to }, tools: [] },
          ...more,
        });
      await open(
        approval("apr_1", "run_1", { subject: asks("ann") }),
        approval("apr_2", "run_2", { subject: asks("bob", { costMicros: 7 }) }),
        approval("apr_3", "run_3", { subject: asks("eve", { parents: { draft: { text: "other" } } }) }),
        approval("apr_4", "run_4", { subject: asks("dan", { workflow: "other" }) }),
        approval("apr_5", "run_5", { subject: asks("zoe"), approvers: [] }),
        approval("apr_6", "run_6", { subject: null }),
        approval("apr_7", "run_7", { subject: asks("kim", { args: { to: "kim" } }) }),
      );
      const rows = await found({});
      const groups = new Map(rows.map(({ approval: { id }, group }) => [id, group]));
      expect(groups.get("apr_6")).toBeNull();
      expect(groups.get("apr_1")).toBe(groups.get("apr_2"));
      expect(new Set(groups.values()).size).toBe(6);
      expect(await ids({ group: groups.get("apr_1") ?? "" })).toEqual(["apr_2", "apr_1"]);
    });

    it("lists a group as one, with its size, page by page", async () => {
      const asks = (to: string): Subject => subject({ title: `Pay ${to}?`, args: { to, amount: 5 } });
      const one = (n: number, group: string, to = `to ${n}`) =>
        approval(`apr_${n}`, `run_${n}`, { requestedAt: n, workflow: group, nodeId: group, subject: asks(to) });
      await open(one(1, "a"), one(2, "b"), one(3, "a"), one(4, "c"), one(5, "a"), one(6, "c"), one(7, "d"));
      await open(approval("apr_8", "run_8", { requestedAt: 8, subject: null }));
      const closing = { status: "approved", choice: "approve", resolvedBy: "ann", resolvedAt: 1 } as const;
      const closed = [{ id: "apr_3", ...closing, reason: null, modifications: null }];
      await subjectOf().store.commit([share("run_3", 1, logFrom(2, 1), { approvalsClosed: closed })]);
      const pages = async (filter: ApprovalFilter, order: ApprovalListing["order"]) => {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const listing = { filter, order, withSubject: false, isGrouped: true };
          const page: Awaited<ReturnType<ReturnType<SubjectOf>["store"]["findApprovals"]>> =
            await subjectOf().store.findApprovals("org_1", listing, { limit: 2, cursor });
          seen.push(page.data.map(({ approval: { id }, groupSize }) => `${id.slice(4)}×${groupSize}`).join(" "));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return seen;
      };
      expect(await pages({ status: "pending" }, "oldest")).toEqual(["1×2 2×1", "4×2 7×1", "8×1"]);
      expect(await pages({ status: "pending" }, "newest")).toEqual(["8×1 7×1", "6×2 5×2", "2×1"]);
      expect(await pages({ status: "pending", text: "to 5" }, "newest")).toEqual(["5×1"]);
      expect(await pages({}, "oldest")).toEqual(["1×2 2×1", "3×1 4×2", "7×1 8×1"]);
    });

    it("assigns an approval, which stays assigned when it changes", async () => {
      const { store, rival } = subjectOf();
      await open(approval("apr_1", "run_1"), approval("apr_2", "run_1"));
      expect(await store.assignApproval("org_1", "apr_1", "user:ann", entry)).toBe(true);
      expect(await store.assignApproval("org_2", "apr_1", "user:bob", entry)).toBe(false);
      expect(await store.assignApproval("org_1", "apr_9", "user:bob", entry)).toBe(false);
      const change = { id: "apr_1", hop: 1, answers: [] };
      await store.commit([share("run_1", 1, logFrom(2, 1), { approvalsChanged: [change] })]);
      expect(await rival.getApproval("org_1", "apr_1")).toMatchObject({ assignee: "user:ann", hop: 1 });
      expect(await ids({ assignee: ["user:ann", "user:bob"] })).toEqual(["apr_1"]);
      expect(await ids({ assignee: null })).toEqual(["apr_2"]);
      expect(await store.assignApproval("org_1", "apr_1", null, entry)).toBe(true);
      expect(await ids({ assignee: null })).toEqual(["apr_2", "apr_1"]);
    });

    it("keeps comments in their order", async () => {
      const { store } = subjectOf();
      await open(approval("apr_1", "run_1"), approval("apr_2", "run_1"));
      const comment = (id: string, at: number) => ({
        id,
        at,
        by: "ann",
        byId: "key_1",
        personId: null,
        text: `${id} \\ "`,
      });
      for (const each of [comment("cmt_b", 2), comment("cmt_a", 2), comment("cmt_c", 1)]) {
        expect(await store.addComment("org_1", "apr_1", each, entry)).toBe(true);
      }
      expect(await store.addComment("org_1", "apr_9", comment("cmt_d", 3), entry)).toBe(false);
      expect(await store.addComment("org_2", "apr_1", comment("cmt_d", 3), entry)).toBe(false);
      const first = await store.listComments("org_1", "apr_1", { limit: 2, cursor: null });
      expect(first.data).toEqual([comment("cmt_c", 1), comment("cmt_a", 2)]);
      const rest = await store.listComments("org_1", "apr_1", { limit: 2, cursor: first.nextCursor });
      expect(rest).toEqual({ data: [comment("cmt_b", 2)], nextCursor: null });
      expect((await store.listComments("org_1", "apr_2", { limit: 2, cursor: null })).data).toEqual([]);
    });

    it(`finds the few that are wanted among ${OPEN} with large subjects`, async () => {
      const { store } = subjectOf();
      const shown = [{ label: "Letter", kind: "text", value: "x".repeat(2_000) } as const];
      for (let from = 0; from < OPEN; from += PER_COMMIT) {
        const some = Array.from({ length: PER_COMMIT }, (_, index) => {
          const n = from + index;
          const about = { requestedAt: n, expiresAt: 1_000_000 - n, workflow: `flow-${n % 7}`, subjectDigest: "d" };
          return approval(`apr_${n}`, "run_1", { ...about, subject: subject({ args: { number: n }, shown }) });
        });
        const commit = { approvalsOpened: some };
        const turn = from / PER_COMMIT;
        await store.commit([
          turn === 0 ? creation("run_1", {}, commit) : share("run_1", turn, logFrom(turn + 1, 1), commit),
        ]);
      }
      const answerer = { ...ANSWERER, names: ["ops"] };
      expect(await store.countApprovals("org_1", { status: "pending", answerer })).toBe(OPEN);
      expect(await found({ status: "pending", answerer }, { order: "expiring" })).toHaveLength(10);
      expect(await ids({ status: "pending", text: "4999" })).toEqual(["apr_4999"]);
      expect(await found({ status: "pending", workflow: "flow-3" }, { order: "oldest" })).toHaveLength(10);
    });
  });
}
