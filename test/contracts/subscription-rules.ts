import { describe, expect, it } from "vitest";
import { delivery, listening, SETTLED, states } from "./listeners.ts";
import type { SubjectOf } from "./store-contract.ts";

export function subscriptionRules(subjectOf: SubjectOf): void {
  describe("subscriptions", () => {
    it("count only for the version of what is registered that is the present one", async () => {
      const { store } = subjectOf();
      expect(await store.subscribe("org_1", 1, [{ targetId: "ops", since: 1 }])).toBeNull();
      const version = await listening(store);
      expect(await store.listListeningOrganisations()).toEqual(["org_1"]);
      expect(await store.subscribe("org_1", version + 1, [])).toBeNull();
      expect(await store.subscribe("org_1", version - 1, [])).toBeNull();
      expect(await store.subscribe("org_1", version, [{ targetId: "ops", since: 9 }])).toEqual([
        { targetId: "ops", since: 1 },
      ]);
    });

    it("that end take with them what waited, and nothing else", async () => {
      const { store } = subjectOf();
      const version = await listening(store);
      const both = [
        { targetId: "ops", since: 1 },
        { targetId: "log", since: 2 },
      ];
      expect(await store.subscribe("org_1", version, both)).toEqual([...both].reverse());
      await store.addDeliveries([delivery("a"), delivery("b"), delivery("c", { targetId: "log" })]);
      const [first] = await store.claimDeliveries(1, 1_000, []);
      await store.settleDelivery(first?.id ?? "", first?.claim ?? 0, SETTLED);
      await store.subscribe("org_1", version, [{ targetId: "log", since: 5 }]);
      expect(await states(store)).toEqual([
        ["b", "given_up"],
        ["a", "delivered"],
      ]);
      expect(await store.claimDeliveries(9, 1_000, [])).toMatchObject([{ id: "c" }]);
      expect(await store.subscribe("org_1", version, [])).toEqual([]);
      expect(await store.listListeningOrganisations()).toEqual(["org_1"]);
      await store.deleteEntry("org_1", "webhook", "ops");
      expect(await store.listListeningOrganisations()).toEqual([]);
    });
  });
}
