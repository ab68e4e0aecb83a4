import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import { type ApprovalClosing, type LaunchApproval, NO_RUN } from "../../src/store/index.ts";
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
  const closing = (id: string, status: ApprovalClosing["status"]): ApprovalClosing => ({
    id,
    status,
    choice: status === "approved" ? "approve" : "reject",
    resolvedBy: "bob",
    resolvedAt: 2,
    reason: "so",
    modifications: null,
  });
  const digest = "sha256:1";

  describe("a launch", () => {
    it("is asked for once, whoever asks first, and stands among the approvals", async () => {
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
      // While it is not used, nobody has to be asked again.
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

    it("expires with its approval, answered or not", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      await store.askLaunch(await asked("apr_1", { expiresAt: now }), entry);
      expect(await store.answerLaunch("org_1", closing("apr_1", "approved"), entry)).toBe(false);
      await store.askLaunch(await asked("apr_2", { digest: "sha256:2" }), entry);
      const told: string[] = [];
      const expire = () =>
        store.expireLaunches(10, ({ id }) => {
          told.push(id);
          return entry;
        });
      expect(await expire()).toBe(1);
      expect(await expire()).toBe(0);
      expect(told).toEqual(["apr_1"]);
      expect(await store.getApproval("org_1", "apr_1")).toMatchObject({ status: "expired", resolvedAt: now });
      expect(await store.getApproval("org_1", "apr_2")).toMatchObject({ status: "pending" });
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
