import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { TriggerDeliveryOutcome } from "../../src/store/index.ts";
import type { SubjectOf } from "./store-contract.ts";

const ORG = "org_1";
const MINUTE = 60_000;
const keyOf = (deliveryId: string, triggerId = "trigger/orders", orgId = ORG) => ({ orgId, triggerId, deliveryId });
const started = (runId: string): TriggerDeliveryOutcome => ({ state: "started", runId, code: null, reason: null });
const REFUSED: TriggerDeliveryOutcome = { state: "refused", runId: null, code: "invalid_args", reason: "No." };
const savedBy = (actor: string) => [
  auditEntry({ at: 1, type: "config.applied", actor, resource: "trigger/orders", detail: {} }),
];
const PAGE = { limit: 10, cursor: null };

export function triggerRules(subjectOf: SubjectOf): void {
  describe("deliveries to triggers", () => {
    it("are known by organisation, trigger and their own id, with the time of the database", async () => {
      const { store, rival } = subjectOf();
      expect(await store.deliveryStanding(keyOf("d1"), MINUTE)).toEqual({ known: null, recent: 0 });
      const kept = await store.recordDelivery(keyOf("d1"), started("run_1"));
      expect(kept).toEqual({ ...keyOf("d1"), ...started("run_1"), receivedAt: expect.any(Number) });
      expect(await rival.deliveryStanding(keyOf("d1"), MINUTE)).toEqual({ known: kept, recent: 1 });
      expect(await store.deliveryStanding(keyOf("d2"), MINUTE)).toEqual({ known: null, recent: 1 });
      expect(await store.deliveryStanding(keyOf("d1", "trigger/other"), MINUTE)).toEqual({ known: null, recent: 0 });
      const elsewhere = keyOf("d1", "trigger/orders", "org_2");
      expect(await store.deliveryStanding(elsewhere, MINUTE)).toEqual({ known: null, recent: 0 });
      expect(await store.deliveryStanding(keyOf("d\0"), MINUTE)).toEqual({ known: null, recent: 1 });
    });

    it("keep the run they started, and may start one after they were refused", async () => {
      const { store, rival } = subjectOf();
      await store.recordDelivery(keyOf("d1"), REFUSED);
      expect(await rival.recordDelivery(keyOf("d1"), started("run_1"))).toMatchObject(started("run_1"));
      expect(await store.recordDelivery(keyOf("d1"), started("run_2"))).toMatchObject(started("run_1"));
      expect(await store.recordDelivery(keyOf("d1"), REFUSED)).toMatchObject(started("run_1"));
      const both = [store, rival].map((one) => one.recordDelivery(keyOf("d2"), started("run_3")));
      expect((await Promise.all(both)).map(({ runId }) => runId)).toEqual(["run_3", "run_3"]);
    });

    it("are counted within a window of time", async () => {
      const { store, passTime } = subjectOf();
      await store.recordDelivery(keyOf("d1"), REFUSED);
      await passTime(MINUTE + 1_000);
      await store.recordDelivery(keyOf("d2"), REFUSED);
      expect((await store.deliveryStanding(keyOf("d3"), MINUTE)).recent).toBe(1);
      expect((await store.deliveryStanding(keyOf("d3"), 3 * MINUTE)).recent).toBe(2);
    });

    it("are listed newest first, page by page", async () => {
      const { store } = subjectOf();
      for (const id of ["d1", "d2", "d3"]) await store.recordDelivery(keyOf(id), REFUSED);
      await store.recordDelivery(keyOf("d4", "trigger/other"), REFUSED);
      const first = await store.listTriggerDeliveries(ORG, "trigger/orders", { limit: 2, cursor: null });
      expect(first.data.map(({ deliveryId }) => deliveryId)).toEqual(["d3", "d2"]);
      const rest = await store.listTriggerDeliveries(ORG, "trigger/orders", { limit: 2, cursor: first.nextCursor });
      expect(rest.data.map(({ deliveryId }) => deliveryId)).toEqual(["d1"]);
      expect(rest.nextCursor).toBeNull();
      expect((await store.listTriggerDeliveries("org_2", "trigger/orders", PAGE)).data).toEqual([]);
    });

    it("are forgotten when they are old and many", async () => {
      const { store, passTime } = subjectOf();
      for (const id of ["d1", "d2", "d3"]) await store.recordDelivery(keyOf(id), REFUSED);
      const left = async () =>
        (await store.listTriggerDeliveries(ORG, "trigger/orders", PAGE)).data.map(({ deliveryId }) => deliveryId);
      await store.pruneTriggerDeliveries(ORG, "trigger/orders", 1, MINUTE);
      expect(await left()).toEqual(["d3", "d2", "d1"]);
      await passTime(2 * MINUTE);
      await store.recordDelivery(keyOf("d4"), REFUSED);
      await store.pruneTriggerDeliveries(ORG, "trigger/orders", 2, MINUTE);
      expect(await left()).toEqual(["d4", "d3"]);
    });
  });

  describe("registered triggers", () => {
    it("are found by name in every organisation, and know who saved them last", async () => {
      const { store } = subjectOf();
      const put = { change: "put", kind: "trigger", id: "orders", body: { workflow: "a" } } as const;
      await store.applyEntries("org_2", [put], 20, savedBy("key_2"));
      await store.applyEntries(ORG, [put], 30, savedBy("key_1"));
      await store.applyEntries(ORG, [{ ...put, id: "other" }], 30);
      await store.applyEntries(ORG, [{ change: "put", kind: "schedule", id: "orders", body: {} }], 30);
      const found = await store.findTriggers("orders", 10);
      expect(found.map(({ orgId, savedBy }) => [orgId, savedBy])).toEqual([
        ["org_2", "key_2"],
        [ORG, "key_1"],
      ]);
      expect(await store.findTriggers("orders", 1)).toHaveLength(1);
      expect(await store.findTriggers("ord\0", 1)).toEqual([]);
      await store.applyEntries(ORG, [{ ...put, body: { workflow: "b" } }], 40, savedBy("key_3"));
      expect(await store.getEntry(ORG, "trigger", "orders")).toMatchObject({ revision: 2, savedBy: "key_3" });
      await store.applyEntries(ORG, [{ ...put, body: { workflow: "b" } }], 50, savedBy("key_4"));
      expect(await store.getEntry(ORG, "trigger", "orders")).toMatchObject({ revision: 2, savedBy: "key_3" });
    });
  });
}
