import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { RegistryChange, Store, WorkflowSaving } from "../../src/store/index.ts";
import type { SubjectOf } from "./store-contract.ts";

type Put = Extract<RegistryChange, { readonly change: "put" }>;

const put = (id: string, body: object = {}, secrets?: Record<string, string>): Put => ({
  change: "put",
  kind: "agent",
  id,
  body: { ...body },
  ...(secrets === undefined ? {} : { secrets }),
});

const saving = (hash: string): WorkflowSaving => ({
  name: "triage",
  hash,
  definitionHash: null,
  format: "lobsterx",
  origin: "file",
  source: `name: triage # ${hash}`,
  catalog: null,
  savedAt: 1_000,
  savedBy: null,
});

/** What is registered as a whole: changed together, counted, opened and closed. */
export function configRules(subjectOf: SubjectOf): void {
  const versionOf = async (store: Store, orgId = "org_1"): Promise<number> =>
    (await store.configVersions()).get(orgId) ?? 0;

  describe("a set of changes", () => {
    it("counts as a whole, and answers with what was put", async () => {
      const { store } = subjectOf();
      await store.putEntry("org_1", "agent", "old", {}, 1);
      const changes: readonly RegistryChange[] = [
        put("b", { trust: 1 }),
        { change: "delete", kind: "agent", id: "old" },
        put("a"),
        { change: "workflow", saving: saving("h1"), settings: { status: "paused", posture: "advisory" } },
      ];
      const entries = await store.applyEntries("org_1", changes, 5);
      expect(entries).toEqual([
        { id: "b", revision: 1, body: { trust: 1 }, createdAt: 5, updatedAt: 5, savedBy: null },
        { id: "a", revision: 1, body: {}, createdAt: 5, updatedAt: 5, savedBy: null },
      ]);
      expect(await store.getEntry("org_1", "agent", "old")).toBeUndefined();
      expect(await store.getWorkflow("org_1", "triage")).toMatchObject({
        status: "paused",
        posture: "advisory",
        isExposed: false,
        latest: { version: 1 },
      });
      expect(await store.applyEntries("org_1", [], 6)).toEqual([]);
    });

    it("changes only those settings of a workflow that it names", async () => {
      const { store } = subjectOf();
      const set = (settings: Extract<RegistryChange, { change: "workflow" }>["settings"], hash = "h1") =>
        store.applyEntries("org_1", [{ change: "workflow", saving: saving(hash), settings }], 5);
      await set({ isExposed: true, posture: "retrieval" });
      await set({ status: "deprecated" });
      await set({}, "h2");
      expect(await store.getWorkflow("org_1", "triage")).toMatchObject({
        status: "deprecated",
        posture: "retrieval",
        isExposed: true,
        latest: { version: 2 },
      });
    });

    it("that expects a revision is refused as a whole when the entry has another one, and taken once of two at once", async () => {
      const { store, rival } = subjectOf();
      const first = (id: string, body: object): Put => ({ ...put(id, body), expected: 0 });
      const writes = [store, rival].map((one, index) =>
        one.applyEntries("org_1", [put("b"), first("a", { index })], 1),
      );
      const [kept, refused] = (await Promise.allSettled(writes)).toSorted((one) =>
        one.status === "fulfilled" ? -1 : 1,
      );
      expect([kept?.status, refused]).toEqual([
        "fulfilled",
        { status: "rejected", reason: expect.objectContaining({ name: "EntryChanged" }) },
      ]);
      expect(await store.getEntry("org_1", "agent", "b")).toMatchObject({ revision: 1 });
      await store.applyEntries("org_1", [{ ...put("a", { index: 2 }), expected: 1 }], 2);
      expect(await store.getEntry("org_1", "agent", "a")).toMatchObject({ revision: 2, body: { index: 2 } });
    });

    it("of two at once is applied twice, one after the other", async () => {
      const { store, rival } = subjectOf();
      const both = ["a", "b", "c"].map((id) => put(id, { by: "one" }));
      const turned = both.toReversed().map((change) => ({ ...change, body: { by: "two" } }));
      await Promise.all([store.applyEntries("org_1", both, 1), rival.applyEntries("org_1", turned, 2)]);
      const { data } = await store.listEntries("org_1", "agent", { limit: 10, cursor: null });
      expect(new Set(data.map(({ body }) => body["by"])).size).toBe(1);
      expect(data.map(({ revision }) => revision)).toEqual([2, 2, 2]);
    });
  });

  describe("secrets of an entry", () => {
    it("are kept beside it, changed by name, and go with it", async () => {
      const { store } = subjectOf();
      await store.applyEntries("org_1", [put("a", {}, { secret: "one", other: "x" })], 1);
      await store.applyEntries("org_1", [put("a", { changed: true })], 2);
      await store.applyEntries("org_1", [put("a", { changed: true }, { secret: "two" })], 3);
      expect(await store.entrySecrets("org_1", "agent", "a")).toEqual({ secret: "two", other: "x" });
      expect(await store.entrySecrets("org_2", "agent", "a")).toEqual({});
      expect(await store.getEntry("org_1", "agent", "a")).toMatchObject({ revision: 2, body: { changed: true } });
      await store.deleteEntry("org_1", "agent", "a");
      expect(await store.entrySecrets("org_1", "agent", "a")).toEqual({});
    });
  });

  describe("the version of what is configured", () => {
    it("goes up with every change, and only then", async () => {
      const { store } = subjectOf();
      expect(await store.configVersions()).toEqual(new Map());
      const changing: readonly (() => Promise<unknown>)[] = [
        () => store.putEntry("org_1", "agent", "a", { trust: 1 }, 1),
        () => store.putEntry("org_1", "agent", "a", { trust: 2 }, 1),
        () => store.applyEntries("org_1", [put("a", { trust: 2 }, { secret: "s" })], 2),
        () => store.applyEntries("org_1", [put("b"), put("c")], 2),
        () => store.deleteEntry("org_1", "agent", "c"),
        () => store.applyEntries("org_1", [{ change: "delete", kind: "agent", id: "b" }], 2),
        () => store.applyEntries("org_1", [{ change: "workflow", saving: saving("h1"), settings: {} }], 2),
        () =>
          store.applyEntries("org_1", [{ change: "workflow", saving: saving("h1"), settings: { isExposed: true } }], 2),
        () => store.setWorkflowStatus("org_1", "triage", "paused"),
        () => store.putPlatform("org_1", { isOpen: false, reason: "drill" }),
      ];
      for (const [index, change] of changing.entries()) {
        await change();
        expect([index, await versionOf(store)]).toEqual([index, index + 1]);
      }
      const idle: readonly (() => Promise<unknown>)[] = [
        () => store.putEntry("org_1", "agent", "a", { trust: 2 }, 9),
        () => store.applyEntries("org_1", [put("a", { trust: 2 }, { secret: "s" })], 9),
        () => store.deleteEntry("org_1", "agent", "unknown"),
        () => store.deleteEntry("org_1", "agent", "no\0body"),
        () => store.setWorkflowStatus("org_1", "nothing", "paused"),
        () =>
          store.applyEntries("org_1", [{ change: "workflow", saving: saving("h1"), settings: { isExposed: true } }], 9),
        () => store.applyEntries("org_1", [], 9),
      ];
      for (const nothing of idle) await nothing();
      expect(await versionOf(store)).toBe(changing.length);
      expect(await versionOf(store, "org_2")).toBe(0);
    });

    it("loses no count when several write at once", async () => {
      const { store, rival } = subjectOf();
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? store : rival).putEntry("org_1", "agent", `a${index}`, {}, 1),
        ),
      );
      expect(await versionOf(store)).toBe(8);
    });
  });

  it("is audited with the change itself", async () => {
    const { store } = subjectOf();
    const changed = auditEntry({ at: 1, type: "agent.changed", actor: "key_1", resource: "agent/a", detail: {} });
    await store.applyEntries("org_1", [put("a")], 1, [changed]);
    await store.putPlatform("org_1", { isOpen: false, reason: null }, [{ ...changed, type: "platform.changed" }]);
    expect(await store.listPendingOrganisations(0, 10)).toEqual(["org_1"]);
  });

  it("a platform is open until it is closed, for one organisation alone", async () => {
    const { store } = subjectOf();
    expect(await store.getPlatform("org_1")).toEqual({ isOpen: true, reason: null });
    await store.putPlatform("org_1", { isOpen: false, reason: "drill" });
    await store.putEntry("org_1", "agent", "a", {}, 1);
    expect(await store.getPlatform("org_1")).toEqual({ isOpen: false, reason: "drill" });
    expect(await store.getPlatform("org_2")).toEqual({ isOpen: true, reason: null });
    await store.putPlatform("org_1", { isOpen: true, reason: null });
    expect(await store.getPlatform("org_1")).toEqual({ isOpen: true, reason: null });
  });
}
