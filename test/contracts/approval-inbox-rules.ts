import { describe, expect, it } from "vitest";
import { type Answerer, type ApprovalListing, type LaunchApproval, NO_RUN } from "../../src/store/index.ts";
import { ANSWERER, entry, Inbox, subject } from "./approval-inbox.ts";
import { approval, creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const OPEN = 5_000;
const PER_COMMIT = 500;

/** Finding approvals among many. */
export function approvalInboxRules(subjectOf: SubjectOf): void {
  const inbox = new Inbox(subjectOf);

  describe("the inbox", () => {
    it("finds approvals of the work of an agent", async () => {
      await inbox.open(
        approval("apr_1", "run_1", { agentId: "ann" }),
        approval("apr_2", "run_1", { agentId: 'agent "1"', requestedAt: 2_000 }),
        approval("apr_3", "run_2", { agentId: null, requestedAt: 3_000 }),
        approval("apr_4", "run_2", { agentId: "ann", requestedAt: 4_000, status: "approved" }),
      );
      expect(await inbox.ids({ agentId: "ann" })).toEqual(["apr_4", "apr_1"]);
      expect(await inbox.ids({ agentId: "ann", status: "pending" })).toEqual(["apr_1"]);
      expect(await inbox.ids({ agentId: 'agent "1"' })).toEqual(["apr_2"]);
      expect(await inbox.ids({ agentId: "ann\0" })).toEqual([]);
      expect(await subjectOf().store.countApprovals("org_1", { agentId: "ann" })).toBe(2);
    });

    it("finds approvals by status, workflow, source, run, age and text", async () => {
      await inbox.open(
        approval("apr_1", "run_1", { workflow: "pay", title: "Pay Änn?", source: "policy", subject: subject() }),
        approval("apr_2", "run_2", { workflow: "send", requestedAt: 2_000, nodeId: "letter", summary: "100% \\ 'x'" }),
        approval("apr_3", "run_2", { requestedAt: 3_000, subject: subject({ args: { iban: "DE12" } }) }),
      );
      const closing = { id: "apr_3", status: "approved", choice: "approve", resolvedBy: "ann", resolvedAt: 1 } as const;
      const closed = [{ ...closing, reason: null, modifications: null }];
      await subjectOf().store.commit([share("run_2", 1, logFrom(2, 1), { approvalsClosed: closed })]);
      expect(await inbox.ids({})).toEqual(["apr_3", "apr_2", "apr_1"]);
      expect(await inbox.ids({ status: "pending" })).toEqual(["apr_2", "apr_1"]);
      expect(await inbox.ids({ status: "closed" })).toEqual(["apr_3"]);
      expect(await inbox.ids({ status: "rejected" })).toEqual([]);
      expect(await inbox.ids({ workflow: "pay" })).toEqual(["apr_1"]);
      expect(await inbox.ids({ source: "policy" })).toEqual(["apr_1"]);
      expect(await inbox.ids({ runId: "run_2" })).toEqual(["apr_3", "apr_2"]);
      expect(await inbox.ids({ requestedUntil: 2_000 })).toEqual(["apr_2", "apr_1"]);
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
        expect((await inbox.ids({ text })).join(" "), text).toBe(wanted);
      }
      expect(await inbox.ids({ status: "pending", workflow: "send", text: "letter", source: "gate" })).toEqual([
        "apr_2",
      ]);
      expect(await inbox.ids({ workflow: "' or true --" })).toEqual([]);
      expect(await inbox.ids({ workflow: "pay\0" })).toEqual([]);
      const rival = { filter: {}, order: "newest", withSubject: false, isGrouped: false } as const;
      const others = await subjectOf().store.findApprovals("org_2", rival, { limit: 10, cursor: null });
      expect(others).toEqual({ data: [], nextCursor: null });
    });

    it("orders them by when they were asked or expire, page by page", async () => {
      await inbox.open(
        approval("apr_1", "run_1", { requestedAt: 1_000, expiresAt: 9_000 }),
        approval("apr_2", "run_1", { requestedAt: 2_000, expiresAt: 7_000 }),
        approval("apr_3", "run_1", { requestedAt: 2_000, expiresAt: 7_000 }),
        approval("apr_4", "run_1", { requestedAt: 3_000, expiresAt: 8_000 }),
      );
      const pages = (order: ApprovalListing["order"]) => {
        const listing = { filter: { status: "pending" }, order, withSubject: false, isGrouped: false } as const;
        return inbox.pages(listing, 3, ({ approval: { id } }) => id.slice(-1));
      };
      expect(await pages("newest")).toEqual(["4 3 2", "1"]);
      expect(await pages("oldest")).toEqual(["1 2 3", "4"]);
      expect(await pages("expiring")).toEqual(["2 3 4", "1"]);
    });

    it("leaves subjects out of lists unless they are wanted, and keeps them whole", async () => {
      const shown = subject({ shown: [{ label: "Letter", kind: "text", value: 'so "\u0000" \u001e ends' }] });
      const one = approval("apr_1", "run_1", { subject: shown, subjectDigest: "sha256:2" });
      await inbox.open(one);
      expect((await inbox.found({}))[0]?.approval).toEqual({ ...one, subject: null });
      expect((await inbox.found({}, { withSubject: true }))[0]?.approval).toEqual(one);
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
      expect(await inbox.ids({ text: "pay less" })).toEqual(["apr_1"]);
    });

    it("knows what a caller may answer: asked so far, not answered, not started", async () => {
      const chain = [
        { who: "role:finance", withinMs: 1_000 },
        { who: "user:Ann@example.com", withinMs: null },
      ];
      const answers = [{ by: "bob", byId: "key_2", personId: "per_2", decision: "approve", at: 1 } as const];
      await inbox.open(
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
        const list = (await inbox.ids(filter)).toSorted().map((id) => id.slice(-1));
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
      // Who has requested what waits for a second person; a person behind them is not the second.
      expect((await subjectOf().store.listSeparateRequesters("org_1")).toSorted()).toEqual(["key_1", "key_3"]);
      expect(await mine([], "key_9", { ownRequesters: ["key_1"] })).toBe("146");
      expect(await mine([], "key_9", { ownRequesters: ["key_3", "key_7"] })).toBe("145");
      expect(await mine([], "key_9", { agentId: "agent_1" })).toBe("1456");
    });

    it("knows what a deputy may answer, and an agent, and leaves out what does not wait", async () => {
      const asked = { approvers: [{ who: "role:finance", withinMs: null }] };
      await inbox.open(
        approval("apr_1", "run_1", { ...asked, isSeparate: true }),
        approval("apr_2", "run_1", asked),
        approval("apr_3", "run_1", { approvers: [], agentId: 'agent "1"' }),
        approval("apr_4", "run_1", { approvers: [], status: "approved" }),
      );
      const mine = async (more: Partial<Answerer>) =>
        (await inbox.ids({ answerer: { ...ANSWERER, ...more } }))
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
      expect(await inbox.ids({ status: "closed", answerer: ANSWERER })).toEqual([]);
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
      expect(await inbox.found({ status: "pending", answerer }, { order: "expiring" })).toHaveLength(10);
      expect(await inbox.ids({ status: "pending", text: "4999" })).toEqual(["apr_4999"]);
      expect(await inbox.found({ status: "pending", workflow: "flow-3" }, { order: "oldest" })).toHaveLength(10);
    });
  });
}
