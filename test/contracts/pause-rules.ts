import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import { WHOLE_ORGANISATION } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const ORG = "org_1";
const PAUSE = { by: "ann", reason: "the CRM is down", at: 5_000 };

export function pauseRules(subjectOf: SubjectOf): void {
  describe("what is paused", () => {
    it("is kept until it is resumed, the first pause stands, and the configuration goes up each time", async () => {
      const { store, rival } = subjectOf();
      await store.pause(ORG, null, PAUSE);
      const version = async (): Promise<number> => (await store.configVersions()).get(ORG) ?? 0;
      const before = await version();
      await rival.pause(ORG, null, { ...PAUSE, by: "bob" });
      expect([...(await store.pausesOf(ORG))]).toEqual([[WHOLE_ORGANISATION, PAUSE]]);
      expect([...(await store.pausesOf("org_2"))]).toEqual([]);
      expect(await store.resume(ORG, null)).toBe(true);
      expect([...(await store.pausesOf(ORG))]).toEqual([]);
      expect(await version()).toBeGreaterThan(before);
    });

    it("may be a workflow that is there, whose status follows, and is audited", async () => {
      const { store } = subjectOf();
      const detail = { by: "ann" };
      const entry = auditEntry({ at: 1, type: "workflow.paused", actor: "ann", resource: "workflow/triage", detail });
      expect(await store.pause(ORG, "triage", PAUSE, [entry])).toBe(false);
      expect(await store.resume(ORG, "triage")).toBe(false);
      const text = {
        hash: "sha256:1",
        format: "lobsterx",
        source: "name: triage",
        catalog: null,
        definitionHash: null,
        origin: "file",
      } as const;
      await store.saveWorkflow(ORG, { name: "triage", ...text, savedAt: 1, savedBy: "key_1" });
      expect(await store.pause(ORG, "triage", PAUSE, [entry])).toBe(true);
      expect((await store.getWorkflow(ORG, "triage"))?.status).toBe("paused");
      expect((await store.pausesOf(ORG)).get("triage")).toEqual(PAUSE);
      await store.resume(ORG, "triage");
      expect((await store.getWorkflow(ORG, "triage"))?.status).toBe("active");
    });

    it("is a fact of the head of a run, which then does not count as stalled", async () => {
      const { store } = subjectOf();
      const paused = { ...PAUSE, scope: "run" } as const;
      await store.commit([creation("run_1", {}, { head: { paused } }), creation("run_2", {})]);
      expect((await store.getRun(ORG, "run_1"))?.paused).toEqual(paused);
      expect((await store.getRun(ORG, "run_2"))?.paused).toBeNull();
      expect(await store.listStalled(10)).toEqual(["run_2"]);
      await store.commit([share("run_1", 1, logFrom(2, 1))]);
      expect((await store.getRun(ORG, "run_1"))?.paused).toBeNull();
    });

    it("has open runs, by workflow or all of them, page by page", async () => {
      const { store } = subjectOf();
      const ended = { head: { status: "completed", endedAt: 2_000 } } as const;
      await store.commit([
        creation("run_1", {}),
        creation("run_2", { workflow: "other" }),
        creation("run_3", {}),
        creation("run_4", {}, ended),
      ]);
      expect(await store.openRunsOf(ORG, null, "", 2)).toEqual(["run_1", "run_2"]);
      expect(await store.openRunsOf(ORG, null, "run_2", 2)).toEqual(["run_3"]);
      expect(await store.openRunsOf(ORG, "triage", "", 10)).toEqual(["run_1", "run_3"]);
      expect(await store.openRunsOf("org_2", null, "", 10)).toEqual([]);
    });
  });
}
