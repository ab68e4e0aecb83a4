import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import { type LaunchAnswer, type LaunchApproval, NO_RUN } from "../../src/store/index.ts";
import { approval } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const HOUR_MS = 3_600_000;
const entry = auditEntry({ at: 1, type: "approval.requested", actor: "ann", resource: "approval/x", detail: {} });

/** Approvals of runs that do not exist yet. */
export function launchRules(subjectOf: SubjectOf): void {
  const asked = async (id: string, parts: Partial<LaunchApproval> = {}): Promise<LaunchApproval> => ({
    ...approval(id, NO_RUN, { source: "policy", nodeId: "", expiresAt: (await subjectOf().store.now()) + HOUR_MS }),
    requestedBy: "key_1",
    ...parts,
  });
  const closing = (id: string, status: "approved" | "rejected"): LaunchAnswer => {
    const decision = status === "approved" ? "approve" : "reject";
    const answers = [{ by: "bob", byId: "key_2", personId: null, decision, at: 2 } as const];
    return { id, seen: 0, answers, status, choice: decision, resolvedBy: "bob", resolvedAt: 2, reason: "so" };
  };
  const digest = "sha256:1";

  describe("a launch", () => {
    it("is asked for once, whichever replica asks first, and stands among the approvals", async () => {
      const { store, rival } = subjectOf();
      const [one, two] = [await asked("apr_1"), await asked("apr_2")];
      const found = await Promise.all([store.askLaunch(one, entry), rival.askLaunch(two, entry)]);
      expect(found[0]?.id).toBe(found[1]?.id);
      const { data } = await store.listApprovals("org_1", "pending", { limit: 10, cursor: null });
      expect(data).toEqual([found[0]]);
      expect(await store.listPendingOrganisations(0, 10)).toEqual(["org_1"]);
      const other = await asked("apr_3", { digest: "sha256:2" });
      expect((await store.askLaunch(other, entry)).id).toBe("apr_3");
    });

    it("is deleted when its time is over, unless it waits for an answer or may start a run", async () => {
      const { store } = subjectOf();
      const ids = ["apr_used", "apr_approved", "apr_pending", "apr_late", "apr_other"];
      for (const id of ids) {
        const parts = id === "apr_late" ? { requestedAt: 5_000 } : id === "apr_other" ? { workflow: "other" } : {};
        await store.askLaunch(await asked(id, { digest: id, requestedAt: 1_000, workflow: "triage", ...parts }), entry);
        if (id !== "apr_pending") await store.answerLaunch("org_1", closing(id, "approved"), entry);
        if (id !== "apr_pending" && id !== "apr_approved") await store.useLaunch("org_1", id, id);
      }
      const comment = { id: "cmt_1", at: 1, by: "ann", byId: null, personId: null, text: "fine" };
      expect(await store.addComment("org_1", "apr_used", comment, entry)).toBe(true);
      const prune = (orgId: string, more: object = {}) =>
        store.pruneLaunches(orgId, { before: 2_000, workflow: null, except: ["other"], ...more }, 10);
      expect([await prune("org_2"), await prune("org_1"), await prune("org_1")]).toEqual([0, 1, 0]);
      const left = await Promise.all(ids.map((id) => store.getApproval("org_1", id)));
      expect(left.map((one) => one?.id ?? null)).toEqual([null, ...ids.slice(1)]);
      expect((await store.listComments("org_1", "apr_used", { limit: 9, cursor: null })).data).toEqual([]);
      expect(await prune("org_1", { workflow: "other", except: [] })).toBe(1);
    });

    it("is shown to those who watch, until it is answered", async () => {
      const { store } = subjectOf();
      await store.askLaunch(await asked("apr_2"), entry);
      await store.askLaunch(await asked("apr_1", { digest: "sha256:2" }), entry);
      await store.askLaunch(await asked("apr_3", { orgId: "org_2" }), entry);
      const open = async (...orgIds: readonly string[]) =>
        (await store.listOpenLaunches(orgIds)).map(({ orgId, approvalId }) => `${orgId} ${approvalId}`);
      expect(await open("org_1")).toEqual(["org_1 apr_1", "org_1 apr_2"]);
      expect(await open("org_1", "org_2")).toEqual(["org_1 apr_1", "org_1 apr_2", "org_2 apr_3"]);
      expect(await open()).toEqual([]);
      await store.answerLaunch("org_1", closing("apr_1", "approved"), entry);
      await store.answerLaunch("org_1", closing("apr_2", "rejected"), entry);
      expect(await open("org_1")).toEqual([]);
    });

    it("passes once it is approved, for one run only", async () => {
      const { store, rival } = subjectOf();
      await store.askLaunch(await asked("apr_1"), entry);
      expect(await store.findApprovedLaunch("org_1", digest)).toBeUndefined();
      expect(await store.useLaunch("org_1", digest, "apr_1")).toBe(false);
      expect(await store.answerLaunch("org_2", closing("apr_1", "approved"), entry)).toBe(false);
      expect(await store.answerLaunch("org_1", closing("apr_1", "approved"), entry)).toBe(true);
      expect(await store.answerLaunch("org_1", closing("apr_1", "rejected"), entry)).toBe(false);
      expect(await store.getApproval("org_1", "apr_1")).toMatchObject({ status: "approved", resolvedBy: "bob" });
      expect(await store.findApprovedLaunch("org_2", digest)).toBeUndefined();
      expect(await store.findApprovedLaunch("org_1", digest)).toBe("apr_1");
      // While it is not used, no person has to be asked again.
      expect((await store.askLaunch(await asked("apr_2"), entry)).id).toBe("apr_1");
      const uses = await Promise.all([store, rival].map((one) => one.useLaunch("org_1", digest, "apr_1")));
      expect(uses.filter(Boolean)).toHaveLength(1);
      expect(await store.findApprovedLaunch("org_1", digest)).toBeUndefined();
      await store.returnLaunch("org_1", digest, "apr_1");
      expect(await store.useLaunch("org_1", digest, "apr_1")).toBe(true);
      expect((await store.askLaunch(await asked("apr_3"), entry)).id).toBe("apr_3");
      await store.returnLaunch("org_1", digest, "apr_1");
      expect(await store.findApprovedLaunch("org_1", digest)).toBeUndefined();
    });

    it("that was rejected is asked for anew", async () => {
      const { store } = subjectOf();
      await store.askLaunch(await asked("apr_1"), entry);
      expect(await store.answerLaunch("org_1", closing("apr_1", "rejected"), entry)).toBe(true);
      await store.returnLaunch("org_1", digest, "apr_1");
      expect(await store.findApprovedLaunch("org_1", digest)).toBeUndefined();
      expect((await store.askLaunch(await asked("apr_2"), entry)).id).toBe("apr_2");
    });

    it("is due when its chain says so, and moves one step for one caller only", async () => {
      const { store, rival } = subjectOf();
      const now = await store.now();
      const chain = { otherwise: null, hop: 0, hopAt: null, reminded: 0, steps: 0, dueAt: now - 5 };
      const first = await asked("apr_1", { chain });
      await store.askLaunch(first, entry);
      await store.askLaunch(await asked("apr_2", { digest: "sha256:2" }), entry);
      const later = { ...chain, dueAt: now + HOUR_MS };
      await store.askLaunch(await asked("apr_3", { digest: "sha256:3", chain: later }), entry);
      const due = async () => (await store.dueLaunches(10)).approvals.map(({ id }) => id);
      // One that has no chain was never looked at.
      expect(await due()).toEqual(["apr_2", "apr_1"]);
      expect((await store.dueLaunches(1)).approvals).toHaveLength(1);
      expect((await store.dueLaunches(10)).now).toBeGreaterThanOrEqual(now);
      const moved = { ...first, chain: { ...chain, hop: 1, steps: 1, dueAt: now + HOUR_MS } };
      const moves = await Promise.all([store.moveLaunch(moved, entry), rival.moveLaunch(moved, null)]);
      expect(moves.filter(Boolean)).toHaveLength(1);
      expect(await store.moveLaunch({ ...moved, orgId: "org_2", chain: { ...moved.chain, steps: 2 } }, null)).toBe(
        false,
      );
      expect(await due()).toEqual(["apr_2"]);
      expect(await store.getApproval("org_1", "apr_1")).toMatchObject({ status: "pending", chain: { hop: 1 } });
      await store.answerLaunch("org_1", closing("apr_1", "approved"), entry);
      expect(await store.moveLaunch({ ...moved, chain: { ...moved.chain, steps: 2 } }, entry)).toBe(false);
    });

    it("stays open until enough people have answered, each after those it has seen", async () => {
      const { store, rival } = subjectOf();
      const now = await store.now();
      const chain = { otherwise: null, hop: 0, hopAt: null, reminded: 0, steps: 0, dueAt: now };
      const first = await asked("apr_1", { quorum: 2, chain });
      await store.askLaunch(first, entry);
      const yes = (by: string) => ({ by, byId: by, personId: null, decision: "approve", at: 1 }) as const;
      const noted = (by: string): LaunchAnswer => ({ id: "apr_1", seen: 0, answers: [yes(by)], status: "pending" });
      const taken = await Promise.all([
        store.answerLaunch("org_1", noted("ann"), entry),
        rival.answerLaunch("org_1", noted("bob"), entry),
      ]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await store.getApproval("org_1", "apr_1")).toMatchObject({ status: "pending", answers: [{ at: 1 }] });
      // What moves the chain must not undo an answer it has not seen.
      const moved = { ...first, chain: { ...chain, steps: 1, hop: 1 } };
      expect(await store.moveLaunch(moved, null)).toBe(false);
      const last: LaunchAnswer = { ...closing("apr_1", "approved"), seen: 1, answers: [yes("ann"), yes("eve")] };
      expect(await store.answerLaunch("org_1", { ...last, seen: 0 }, entry)).toBe(false);
      expect(await store.answerLaunch("org_1", last, entry)).toBe(true);
      expect(await store.findApprovedLaunch("org_1", digest)).toBe("apr_1");
    });

    it("expires with its approval, answered or not", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const over = await asked("apr_1", { expiresAt: now });
      await store.askLaunch(over, entry);
      expect(await store.answerLaunch("org_1", closing("apr_1", "approved"), entry)).toBe(false);
      await store.askLaunch(await asked("apr_2", { digest: "sha256:2" }), entry);
      const chain = { otherwise: null, hop: 0, hopAt: null, reminded: 0, steps: 1, dueAt: now };
      expect(await store.dropUnusedLaunches(10)).toBe(0);
      expect(await store.moveLaunch({ ...over, chain, status: "expired", resolvedAt: now }, entry)).toBe(true);
      expect(await store.moveLaunch({ ...over, chain, status: "expired", resolvedAt: now }, entry)).toBe(false);
      expect(await store.getApproval("org_1", "apr_1")).toMatchObject({ status: "expired", resolvedAt: now });
      expect(await store.getApproval("org_1", "apr_2")).toMatchObject({ status: "pending" });
      expect((await store.askLaunch(await asked("apr_4"), entry)).id).toBe("apr_4");
    });

    it("granted by its chain is valid until its expiry, and forgotten when it was not used", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const over = await asked("apr_1", { expiresAt: now });
      await store.askLaunch(over, entry);
      const chain = { otherwise: "approve" as const, hop: 0, hopAt: null, reminded: 0, steps: 1, dueAt: now };
      const granted = { ...over, chain, status: "approved" as const, expiresAt: now + HOUR_MS };
      expect(await store.moveLaunch(granted, entry)).toBe(true);
      expect(await store.findApprovedLaunch("org_1", digest)).toBe("apr_1");
      expect(await store.dropUnusedLaunches(10)).toBe(0);
      const unused = await asked("apr_2", { digest: "sha256:2", expiresAt: now });
      await store.askLaunch(unused, entry);
      expect(await store.moveLaunch({ ...unused, chain, status: "approved" }, entry)).toBe(true);
      expect(await store.dropUnusedLaunches(10)).toBe(1);
      expect(await store.dropUnusedLaunches(10)).toBe(0);
    });

    it("in the place of one that is over takes it", async () => {
      const { store } = subjectOf();
      await store.askLaunch(await asked("apr_1", { expiresAt: await store.now() }), entry);
      expect((await store.askLaunch(await asked("apr_2"), entry)).id).toBe("apr_2");
      expect(await store.answerLaunch("org_1", closing("apr_2", "approved"), entry)).toBe(true);
      expect(await store.findApprovedLaunch("org_1", digest)).toBe("apr_2");
    });
  });
}
