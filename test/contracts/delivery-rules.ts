import { describe, expect, it } from "vitest";
import type { Settlement } from "../../src/store/index.ts";
import { delivery, PAGE, SETTLED, states } from "./listeners.ts";
import type { SubjectOf } from "./store-contract.ts";

const FAILED: Settlement = { state: "failed", retryMs: 5_000, status: 500, error: "It answered 500." };

export function deliveryRules(subjectOf: SubjectOf): void {
  describe("deliveries", () => {
    it("are claimed once each by any number of replicas, and again when the claim runs out", async () => {
      const { store, rival, passTime } = subjectOf();
      const ids = Array.from({ length: 12 }, (_, index) => `m${String(index).padStart(2, "0")}`);
      await store.addDeliveries(ids.map((id) => delivery(id)));
      await store.addDeliveries([delivery("m00", { body: '{"other":1}' })]);
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? store : rival).claimDeliveries(3, 60_000, [])),
      );
      expect(
        claims
          .flat()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(ids);
      const { delayMs: _, ...first } = delivery("m00");
      expect(claims.flat().find(({ id }) => id === "m00")).toEqual({ ...first, claim: 1, attempts: 0 });
      expect(await store.claimDeliveries(99, 60_000, [])).toEqual([]);
      await passTime(61_000);
      expect((await store.claimDeliveries(99, 60_000, [])).map(({ id, claim }) => [id, claim])).toEqual(
        ids.map((id) => [id, 2]),
      );
    });

    it("pass by webhooks that have enough to do", async () => {
      const { store } = subjectOf();
      await store.addDeliveries([delivery("a"), delivery("b", { targetId: "log" }), delivery("c", { orgId: "org_2" })]);
      const busy = [
        { orgId: "org_1", targetId: "ops" },
        { orgId: "org_2", targetId: "log" },
      ];
      expect((await store.claimDeliveries(9, 60_000, busy)).map(({ id }) => id)).toEqual(["b", "c"]);
    });

    it("are settled only by the replica that claimed them last", async () => {
      const { store, passTime } = subjectOf();
      await store.addDeliveries([delivery("a")]);
      await store.claimDeliveries(1, 1_000, []);
      await passTime(2_000);
      await store.claimDeliveries(1, 60_000, []);
      expect(await store.settleDelivery("a", 1, SETTLED)).toBe(false);
      expect(await store.settleDelivery("a", 2, FAILED)).toBe(true);
      const [failed] = (await store.listDeliveries("org_1", "ops", PAGE)).data;
      expect(failed).toMatchObject({ state: "failed", attempts: 1, lastStatus: 500, lastError: "It answered 500." });
      expect(failed?.nextAt).toBeGreaterThan(failed?.createdAt ?? Infinity);
      expect(await store.claimDeliveries(1, 1_000, [])).toEqual([]);
      await passTime(6_000);
      expect(await store.claimDeliveries(1, 1_000, [])).toMatchObject([{ claim: 3, attempts: 1 }]);
      expect(await store.settleDelivery("a", 3, SETTLED)).toBe(true);
      expect(await store.settleDelivery("a", 3, FAILED)).toBe(false);
      const [done] = (await store.listDeliveries("org_1", "ops", PAGE)).data;
      expect(done).toMatchObject({ state: "delivered", attempts: 2, lastError: null, nextAt: null });
      expect(done?.settledAt).not.toBeNull();
    });

    it("are given back untried, and delivered again under the same id", async () => {
      const { store } = subjectOf();
      await store.addDeliveries([delivery("a")]);
      await store.claimDeliveries(1, 60_000, []);
      await store.releaseDelivery("a", 9);
      expect(await store.claimDeliveries(1, 60_000, [])).toEqual([]);
      await store.releaseDelivery("a", 1);
      expect(await store.claimDeliveries(1, 60_000, [])).toMatchObject([{ id: "a", claim: 2, attempts: 0 }]);
      await store.settleDelivery("a", 2, SETTLED);
      expect(await store.redeliver("org_2", "ops", "a")).toBeUndefined();
      expect(await store.redeliver("org_1", "log", "a")).toBeUndefined();
      expect(await store.redeliver("org_1", "ops", "b\0")).toBeUndefined();
      expect(await store.redeliver("org_1", "ops", "a")).toMatchObject({
        state: "pending",
        attempts: 0,
        settledAt: null,
      });
      expect(await store.claimDeliveries(1, 60_000, [])).toMatchObject([
        { id: "a", claim: 4, body: delivery("a").body },
      ]);
    });

    it("are listed newest first, page by page, and forgotten when they are settled and old", async () => {
      const { store, passTime } = subjectOf();
      const ids = ["z", "a", "m", "b", "y"];
      await store.addDeliveries(ids.map((id) => delivery(id)));
      const first = await store.listDeliveries("org_1", "ops", { limit: 2, cursor: null });
      expect(first.data.map(({ id }) => id)).toEqual(["y", "b"]);
      const rest = await store.listDeliveries("org_1", "ops", { limit: 3, cursor: first.nextCursor });
      expect([rest.data.map(({ id }) => id), rest.nextCursor]).toEqual([["m", "a", "z"], null]);
      expect((await store.listDeliveries("org_2", "ops", PAGE)).data).toEqual([]);
      for (const { id, claim } of await store.claimDeliveries(3, 60_000, []))
        await store.settleDelivery(id, claim, SETTLED);
      const now = await store.now();
      expect(await store.pruneDeliveries(now - 60_000, 10)).toBe(0);
      await passTime(120_000);
      const later = Math.max(now, await store.now());
      expect(await store.pruneDeliveries(later - 60_000, 2)).toBe(2);
      expect(await store.pruneDeliveries(later - 60_000, 10)).toBe(1);
      expect(await states(store)).toEqual([
        ["y", "pending"],
        ["b", "pending"],
      ]);
    });
  });
}
