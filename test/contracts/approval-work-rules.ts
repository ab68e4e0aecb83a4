import { describe, expect, it } from "vitest";
import type { Subject } from "../../src/core/event/index.ts";
import type { ApprovalFilter, ApprovalListing } from "../../src/store/index.ts";
import { entry, Inbox, subject } from "./approval-inbox.ts";
import { approval, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

/** What people do with the approvals they found: take alike ones together, assign them, comment on them. */
export function approvalWorkRules(subjectOf: SubjectOf): void {
  const inbox = new Inbox(subjectOf);

  describe("the inbox", () => {
    it("groups what differs in nothing but its args", async () => {
      const asks = (to: string, more: Partial<Subject> = {}): Subject =>
        subject({
          title: `Pay ${to}?`,
          args: { to, amount: 5 },
          request: sends(to),
          ...more,
        });
      const sends = (to: string, reads = { payee: to }) => {
        const message = `pay ${to} 5`;
        return { provider: "process", model: null, message, stdin: null, inputs: { to }, reads, tools: [] };
      };
      const calls = (to: string): Subject["call"] => {
        return { tool: "pay", server: null, args: { to }, action: "financial", round: 0, words: "" };
      };
      await inbox.open(
        approval("apr_1", "run_1", { subject: asks("ann") }),
        approval("apr_2", "run_2", { subject: asks("bob", { costMicros: 7 }) }),
        approval("apr_3", "run_3", { subject: asks("eve", { parents: { draft: { text: "other" } } }) }),
        approval("apr_4", "run_4", { subject: asks("dan", { workflow: "other" }) }),
        approval("apr_5", "run_5", { subject: asks("zoe"), approvers: [] }),
        approval("apr_6", "run_6", { subject: null }),
        approval("apr_7", "run_7", { subject: asks("kim", { args: { to: "kim" } }) }),
        approval("apr_8", "run_8", { subject: asks("pat", { request: sends("pat", { payee: "another" }) }) }),
        approval("apr_9", "run_9", { subject: asks("sue", { call: calls("another") }) }),
      );
      const rows = await inbox.found({});
      const groups = new Map(rows.map(({ approval: { id }, group }) => [id, group]));
      expect(groups.get("apr_6")).toBeNull();
      expect(groups.get("apr_1")).toBe(groups.get("apr_2"));
      expect(new Set(groups.values()).size).toBe(8);
      expect(await inbox.ids({ group: groups.get("apr_1") ?? "" })).toEqual(["apr_2", "apr_1"]);
    });

    it("lists a group as one, with its size, page by page", async () => {
      const asks = (to: string): Subject => subject({ title: `Pay ${to}?`, args: { to, amount: 5 } });
      const one = (n: number, group: string, to = `to ${n}`) =>
        approval(`apr_${n}`, `run_${n}`, { requestedAt: n, workflow: group, nodeId: group, subject: asks(to) });
      await inbox.open(one(1, "a"), one(2, "b"), one(3, "a"), one(4, "c"), one(5, "a"), one(6, "c"), one(7, "d"));
      await inbox.open(approval("apr_8", "run_8", { requestedAt: 8, subject: null }));
      const closing = { status: "approved", choice: "approve", resolvedBy: "ann", resolvedAt: 1 } as const;
      const closed = [{ id: "apr_3", ...closing, reason: null, modifications: null }];
      await subjectOf().store.commit([share("run_3", 1, logFrom(2, 1), { approvalsClosed: closed })]);
      const pages = (filter: ApprovalFilter, order: ApprovalListing["order"]) => {
        const listing = { filter, order, withSubject: false, isGrouped: true };
        return inbox.pages(listing, 2, ({ approval: { id }, groupSize }) => `${id.slice(4)}×${groupSize}`);
      };
      expect(await pages({ status: "pending" }, "oldest")).toEqual(["1×2 2×1", "4×2 7×1", "8×1"]);
      expect(await pages({ status: "pending" }, "newest")).toEqual(["8×1 7×1", "6×2 5×2", "2×1"]);
      expect(await pages({ status: "pending", text: "to 5" }, "newest")).toEqual(["5×1"]);
      expect(await pages({}, "oldest")).toEqual(["1×2 2×1", "3×1 4×2", "7×1 8×1"]);
    });

    it("assigns an approval, which stays assigned when it changes", async () => {
      const { store, rival } = subjectOf();
      await inbox.open(approval("apr_1", "run_1"), approval("apr_2", "run_1"));
      expect(await store.assignApproval("org_1", "apr_1", "user:ann", entry)).toBe(true);
      expect(await store.assignApproval("org_2", "apr_1", "user:bob", entry)).toBe(false);
      expect(await store.assignApproval("org_1", "apr_9", "user:bob", entry)).toBe(false);
      const change = { id: "apr_1", hop: 1, answers: [] };
      await store.commit([share("run_1", 1, logFrom(2, 1), { approvalsChanged: [change] })]);
      expect(await rival.getApproval("org_1", "apr_1")).toMatchObject({ assignee: "user:ann", hop: 1 });
      expect(await inbox.ids({ assignee: ["user:ann", "user:bob"] })).toEqual(["apr_1"]);
      expect(await inbox.ids({ assignee: null })).toEqual(["apr_2"]);
      expect(await store.assignApproval("org_1", "apr_1", null, entry)).toBe(true);
      expect(await inbox.ids({ assignee: null })).toEqual(["apr_2", "apr_1"]);
    });

    it("keeps comments in their order", async () => {
      const { store } = subjectOf();
      await inbox.open(approval("apr_1", "run_1"), approval("apr_2", "run_1"));
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
  });
}
