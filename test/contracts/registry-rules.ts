import { describe, expect, it } from "vitest";
import type { WorkflowSaving } from "../../src/store/index.ts";
import { key } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const ALL = { limit: 100, cursor: null };

function saving(name: string, hash: string): WorkflowSaving {
  const source = `name: ${name} # ${hash} \u{1F600}`;
  const hashes = { hash, definitionHash: `d-${hash}` };
  const catalog = { lenses: { a: 1 } };
  return { name, ...hashes, format: "lobsterx", origin: "file", source, catalog, savedAt: 1_000, savedBy: null };
}

export function registryRules(subjectOf: SubjectOf): void {
  describe("workflows", () => {
    it("get a version for each change of content, and none for saving the same again", async () => {
      const { store } = subjectOf();
      const { savedBy: _, ...kept } = saving("triage", "h1");
      expect(await store.saveWorkflow("org_1", saving("triage", "h1"))).toEqual({
        version: { ...kept, version: 1 },
        isNew: true,
      });
      const again = await store.saveWorkflow("org_1", { ...saving("triage", "h1"), savedAt: 9_999 });
      expect(again).toMatchObject({ isNew: false, version: { version: 1, savedAt: 1_000 } });
      expect(await store.saveWorkflow("org_1", saving("triage", "h2"))).toMatchObject({ version: { version: 2 } });
      // Going back to an older content is a change like any other.
      expect(await store.saveWorkflow("org_1", saving("triage", "h1"))).toMatchObject({
        version: { version: 3, hash: "h1" },
        isNew: true,
      });
      expect(await store.getVersion("org_1", "triage", 2)).toMatchObject({ hash: "h2", catalog: kept.catalog });
      expect(await store.getVersion("org_1", "triage", 4)).toBeUndefined();
      expect(await store.getVersion("org_1", "triage", 0)).toBeUndefined();
      expect(await store.getWorkflow("org_1", "triage")).toEqual({
        name: "triage",
        status: "active",
        posture: "bounded_autonomous",
        isExposed: false,
        latest: {
          name: "triage",
          version: 3,
          hash: "h1",
          definitionHash: "d-h1",
          format: "lobsterx",
          origin: "file",
          savedAt: 1_000,
        },
      });
    });

    it("get a version when the same content comes from code", async () => {
      const { store } = subjectOf();
      await store.saveWorkflow("org_1", saving("triage", "h1"));
      const fromCode = { ...saving("triage", "h1"), origin: "code", definitionHash: null } as const;
      const expected = { version: { version: 2, origin: "code", definitionHash: null }, isNew: true };
      expect(await store.saveWorkflow("org_1", fromCode)).toMatchObject(expected);
      expect(await store.saveWorkflow("org_1", fromCode)).toMatchObject({ ...expected, isNew: false });
    });

    it("saved by two at once get two versions", async () => {
      const { store, rival } = subjectOf();
      const saved = await Promise.all(
        ["h1", "h2", "h3", "h4"].map((hash, index) =>
          (index % 2 === 0 ? store : rival).saveWorkflow("org_1", saving("triage", hash)),
        ),
      );
      expect(new Set(saved.map(({ version }) => version.version))).toEqual(new Set([1, 2, 3, 4]));
    });

    it("are listed by name, have a status, and belong to their organisation", async () => {
      const { store } = subjectOf();
      for (const name of ["b", "B", "a", "c-1"]) await store.saveWorkflow("org_1", saving(name, "h"));
      await store.saveWorkflow("org_2", saving("z", "h"));
      const first = await store.listWorkflows("org_1", { limit: 3, cursor: null });
      expect(first.data.map(({ name }) => name)).toEqual(["B", "a", "b"]);
      const rest = await store.listWorkflows("org_1", { limit: 3, cursor: first.nextCursor });
      expect(rest).toMatchObject({ data: [{ name: "c-1" }], nextCursor: null });
      expect(await store.setWorkflowStatus("org_1", "a", "paused")).toBe(true);
      expect(await store.getWorkflow("org_1", "a")).toMatchObject({ status: "paused" });
      await store.saveWorkflow("org_1", saving("a", "h2"));
      expect(await store.getWorkflow("org_1", "a")).toMatchObject({ status: "paused", latest: { version: 2 } });
      expect(await store.setWorkflowStatus("org_2", "a", "active")).toBe(false);
      expect(await store.getWorkflow("org_2", "a")).toBeUndefined();
      expect(await store.getVersion("org_2", "a", 1)).toBeUndefined();
    });

    it("leave definitions that are found by hash, of their organisation only", async () => {
      const { store } = subjectOf();
      await store.saveWorkflow("org_1", saving("triage", "h1"));
      expect(await store.getDefinition("org_1", "h1")).toEqual({
        source: saving("triage", "h1").source,
        catalog: { lenses: { a: 1 } },
      });
      await store.putDefinition("org_1", "h2", { source: "x", catalog: null });
      await store.putDefinition("org_1", "h2", { source: "x", catalog: null });
      expect(await store.getDefinition("org_1", "h2")).toEqual({ source: "x", catalog: null });
      expect(await store.getDefinition("org_2", "h1")).toBeUndefined();
    });
  });

  describe("keys", () => {
    it("are found by hash, listed newest first, and revoked once", async () => {
      const { store } = subjectOf();
      await store.ensureOrganisation("org_1");
      await store.ensureOrganisation("org_1");
      const full = key("key_1", { agentId: "bert", expiresAt: 5_000, permissions: ["run:read", 'odd "{,}"'] });
      await store.putKey(full);
      await store.putKey(key("key_2", { createdAt: 2_000 }));
      await store.putKey(key("key_3", { orgId: "org_2" }));
      expect(await store.findKey(full.hash)).toEqual(full);
      expect(await store.findKey("unknown hash")).toBeUndefined();
      expect((await store.listKeys("org_1", ALL)).data.map(({ id }) => id)).toEqual(["key_2", "key_1"]);
      expect(await store.revokeKey("org_2", "key_1", 7_000)).toBe(false);
      expect(await store.revokeKey("org_1", "key_0", 7_000)).toBe(false);
      expect(await store.revokeKey("org_1", "key_1", 7_000)).toBe(true);
      expect(await store.revokeKey("org_1", "key_1", 8_000)).toBe(true);
      expect(await store.findKey(full.hash)).toEqual({ ...full, revokedAt: 7_000 });
    });

    it("that have ended are distinguished from those that have not", async () => {
      const { store } = subjectOf();
      const later = Date.now() + 3_600_000;
      await store.putKey(key("key_1", { createdBy: "key_0" }));
      await store.putKey(key("key_2", { expiresAt: later, createdBy: "oidc:ann" }));
      await store.putKey(key("key_3", { expiresAt: 5_000 }));
      await store.putKey(key("key_4", { revokedAt: 5_000 }));
      expect(await store.listEndedKeys([])).toEqual([]);
      const ended = await store.listEndedKeys(["key_1", "key_2", "key_3", "key_4", "key_5"]);
      expect([...ended].sort()).toEqual(["key_3", "key_4", "key_5"]);
      await store.revokeKey("org_1", "key_1", 9_000);
      expect(await store.listEndedKeys(["key_1", "key_2"])).toEqual(["key_1"]);
      expect((await store.getKey("org_1", "key_2"))?.createdBy).toBe("oidc:ann");
    });

    it("that several replicas put at the same moment are there once", async () => {
      const { store } = subjectOf();
      for (let round = 0; round < 40; round += 1) {
        const same = key(`key_${round}`);
        await Promise.all(Array.from({ length: 6 }, () => store.putKey(same)));
        expect(await store.findKey(same.hash)).toEqual(same);
      }
    });

    it("that are put again are replaced", async () => {
      const { store } = subjectOf();
      await store.putKey(key("key_1"));
      await store.putKey(key("key_1", { label: "server", hash: "new" }));
      expect(await store.findKey("hash of key_1")).toBeUndefined();
      expect(await store.findKey("new")).toMatchObject({ label: "server" });
    });
  });

  it("is reachable and current", async () => {
    await expect(subjectOf().store.ping()).resolves.toBeUndefined();
  });
}
