import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { SealedText } from "../../src/store/index.ts";
import type { SubjectOf } from "./store-contract.ts";

const USED = auditEntry({ at: 7, type: "secret.used", actor: "sluice", resource: "secret/a", detail: {} });

/** When secrets were handed out, and everything that is kept sealed. */
export function secretRules(subjectOf: SubjectOf): void {
  describe("uses of secrets", () => {
    it("are kept by name, the newest moment, with their audit entries", async () => {
      const { store, rival } = subjectOf();
      await store.recordSecretUses("org_1", ["a", "b", "a"], 7, [USED]);
      await rival.recordSecretUses("org_1", ["a"], 9, []);
      await store.recordSecretUses("org_1", ["a"], 8, []);
      await store.recordSecretUses("org_1", [], 99, []);
      const uses = new Map([
        ["a", 9],
        ["b", 7],
      ]);
      expect(await rival.secretUses("org_1")).toEqual(uses);
      expect(await store.secretUses("org_2")).toEqual(new Map());
      expect(await store.listPendingOrganisations(0, 9)).toEqual(["org_1"]);
    });

    it("end with their secret, and no change of the configuration comes of them", async () => {
      const { store } = subjectOf();
      await store.putEntry("org_1", "secret", "a", {}, 1);
      await store.putEntry("org_1", "agent", "b", {}, 1);
      const before = await store.configVersions();
      await store.recordSecretUses("org_1", ["a", "b"], 7, []);
      expect(await store.configVersions()).toEqual(before);
      await store.deleteEntry("org_1", "agent", "b");
      await store.deleteEntry("org_1", "secret", "a");
      expect([...(await store.secretUses("org_1")).keys()]).toEqual(["b"]);
    });
  });

  describe("sealed texts", () => {
    const hook = { workflow: "w", previousUntil: 5, savedBy: null, createdAt: 1, updatedAt: 1 };
    const link = {
      gatewayId: "eu",
      status: "healthy",
      instanceId: null,
      instanceStartedAt: null,
      callbackHash: null,
      previousCallbackHash: null,
      previousUntil: null,
      seenAt: null,
      instanceFacts: null,
    } as const;

    it("are replaced wherever they are kept, in every organisation", async () => {
      const { store, rival } = subjectOf();
      const put = { change: "put", kind: "secret", id: "a", body: {}, secrets: { value: "v1" } } as const;
      await store.applyEntries("org_1", [put], 1);
      await store.applyEntries("org_2", [{ ...put, secrets: { value: "v2" } }], 1);
      await store.putHook({ ...hook, orgId: "org_1", secret: "h1", previousSecret: "h0" });
      await store.putHook({ ...hook, orgId: "org_2", secret: "h2", previousSecret: null });
      await store.putGatewayLink({ ...link, orgId: "org_1", dispatchToken: "g1" });
      await store.putGatewayLink({ ...link, orgId: "org_2", dispatchToken: null });
      const seen: SealedText[] = [];
      await store.replaceSealed((sealed) => {
        seen.push(sealed);
        return sealed.text === "v2" ? null : `new ${sealed.text}`;
      });
      expect(seen.map(({ orgId, owner, text }) => JSON.stringify([orgId, text, owner])).sort()).toEqual([
        `["org_1","g1",{"of":"gateway","id":"eu"}]`,
        `["org_1","h0",{"of":"hook","workflow":"w"}]`,
        `["org_1","h1",{"of":"hook","workflow":"w"}]`,
        `["org_1","v1",{"of":"entry","kind":"secret","id":"a","name":"value"}]`,
        `["org_2","h2",{"of":"hook","workflow":"w"}]`,
        `["org_2","v2",{"of":"entry","kind":"secret","id":"a","name":"value"}]`,
      ]);
      expect(await rival.entrySecrets("org_1", "secret", "a")).toEqual({ value: "new v1" });
      expect(await rival.entrySecrets("org_2", "secret", "a")).toEqual({ value: "v2" });
      expect(await rival.getHook("org_1", "w")).toMatchObject({ secret: "new h1", previousSecret: "new h0" });
      expect((await rival.listGatewayLinks("org_1"))[0]).toMatchObject({ dispatchToken: "new g1" });
    });

    it("are all replaced by two replicas at once, and each of them once", async () => {
      const { store, rival } = subjectOf();
      const put = (id: string) => ({ change: "put", kind: "secret", id, body: {}, secrets: { value: "old" } }) as const;
      const ids = Array.from({ length: 20 }, (_, index) => `s${index}`);
      await store.applyEntries("org_1", ids.map(put), 1);
      const renew = ({ text }: SealedText): string | null => (text === "old" ? "new" : null);
      await Promise.all([store.replaceSealed(renew), rival.replaceSealed(renew)]);
      for (const id of ids) expect(await store.entrySecrets("org_1", "secret", id)).toEqual({ value: "new" });
    });
  });
}
