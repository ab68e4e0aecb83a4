import { describe, expect, it } from "vitest";
import { delivery } from "./listeners.ts";
import type { SubjectOf } from "./store-contract.ts";

const TARGET = { orgId: "org_1", targetId: "channel/ops" };
const TICKET = {
  hash: "h1",
  orgId: "org_1",
  approvalId: "apr_1",
  channel: "ops",
  personId: null,
  address: "ann@example.com",
  name: "Ann",
};
const DAY_MS = 86_400_000;

/** What channels need besides a log of deliveries. */
export function channelRules(subjectOf: SubjectOf): void {
  describe("deliveries of channels", () => {
    it("wait for the given time, and are claimed in groups, each by one replica", async () => {
      const { store, rival, passTime } = subjectOf();
      const grouped = { targetId: "channel/ops", recipient: "ann@example.com", groupKey: "approval.requested" };
      await store.addDeliveries([
        delivery("a", { ...grouped, delayMs: 60_000 }),
        delivery("b", { ...grouped, delayMs: 90_000 }),
        delivery("c", { ...grouped, delayMs: 90_000, recipient: "bob@example.com" }),
        delivery("d", { ...grouped, delayMs: 90_000, groupKey: "run.failed" }),
        delivery("e", { ...grouped, delayMs: 90_000, orgId: "org_2" }),
        delivery("f", { ...grouped, delayMs: 90_000, groupKey: null }),
      ]);
      expect(await store.claimDeliveries(9, 30_000, [])).toEqual([]);
      await passTime(61_000);
      const [first] = await store.claimDeliveries(9, 30_000, []);
      expect(first).toMatchObject({ id: "a", recipient: "ann@example.com", groupKey: "approval.requested", claim: 1 });
      if (first === undefined) throw new Error("nothing was due");
      const rest = await Promise.all([store.claimGroup(first, 9, 30_000), rival.claimGroup(first, 9, 30_000)]);
      expect(rest.flat()).toMatchObject([{ id: "b", claim: 1 }]);
      expect(await store.claimGroup({ ...first, groupKey: null }, 9, 30_000)).toEqual([]);
      await passTime(31_000);
      expect((await store.claimDeliveries(9, 30_000, [])).map(({ id }) => id).sort()).toEqual([
        "a",
        "b",
        "c",
        "d",
        "e",
        "f",
      ]);
    });

    it("are postponed with a reason, and can be grouped again then", async () => {
      const { store, passTime } = subjectOf();
      const grouped = { targetId: "channel/ops", groupKey: "g" };
      await store.addDeliveries([delivery("a", grouped), delivery("b", grouped)]);
      await store.claimDeliveries(2, 60_000, []);
      await store.postponeDelivery("a", 9, 1_000, "too late");
      for (const id of ["a", "b"]) await store.postponeDelivery(id, 1, 120_000, "quiet");
      const page = { limit: 5, cursor: null };
      const { data } = await store.listDeliveries("org_1", "channel/ops", page);
      expect(data).toMatchObject([
        { id: "b", state: "pending", attempts: 0, lastError: "quiet" },
        { id: "a", state: "pending", attempts: 0, lastError: "quiet" },
      ]);
      expect(await store.claimDeliveries(2, 60_000, [])).toEqual([]);
      await passTime(121_000);
      const [first] = await store.claimDeliveries(1, 60_000, []);
      if (first === undefined) throw new Error("nothing was due");
      expect(await store.claimGroup(first, 5, 60_000)).toHaveLength(1);
      await store.settleDelivery(first.id, first.claim, {
        state: "delivered",
        retryMs: null,
        status: null,
        error: null,
      });
      expect(await store.claimGroup(first, 5, 60_000)).toEqual([]);
    });
  });

  describe("turns of a channel", () => {
    it("are so many in any minute, whichever client takes them", async () => {
      const { store, rival, passTime } = subjectOf();
      const waits = await Promise.all(
        [store, rival, store, rival, store].map((client) => client.takeSendSlot(TARGET, 3)),
      );
      expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
      for (const wait of waits.filter((one) => one > 0)) expect(wait).toBeLessThanOrEqual(60_000);
      expect(await store.takeSendSlot({ ...TARGET, targetId: "channel/else" }, 1)).toBe(0);
      expect(await store.takeSendSlot({ ...TARGET, orgId: "org_2" }, 1)).toBe(0);
      await passTime(61_000);
      expect(await store.takeSendSlot(TARGET, 3)).toBe(0);
    });
  });

  describe("postings", () => {
    it("are found by channel and approval, once each", async () => {
      const { store } = subjectOf();
      const posting = { ...TARGET, approvalId: "apr_1", place: "C1", id: "1.1" };
      await store.addPosting(posting);
      await store.addPosting(posting);
      await store.addPosting({ ...posting, id: "1.2" });
      await store.addPosting({ ...posting, approvalId: "apr_2" });
      const found = await store.listPostings("org_1", "channel/ops", "apr_1");
      expect(found).toEqual([posting, { ...posting, id: "1.2" }]);
      expect(await store.listPostings("org_2", "channel/ops", "apr_1")).toEqual([]);
    });

    it("and channels are found by name, whatever their organisation", async () => {
      const { store } = subjectOf();
      for (const org of ["org_2", "org_1"]) await store.putEntry(org, "channel", "ops", { type: "slack" }, 1);
      await store.putEntry("org_1", "webhook", "ops", {}, 1);
      await store.putEntry("org_1", "channel", "else", {}, 1);
      expect(await store.findChannels("ops", 9)).toEqual(["org_1", "org_2"]);
      expect(await store.findChannels("ops", 1)).toEqual(["org_1"]);
      expect(await store.findChannels("o\0ps", 9)).toEqual([]);
    });
  });

  describe("tickets", () => {
    it("are held by one caller at a time, and used up once", async () => {
      const { store, rival, passTime } = subjectOf();
      await store.addTicket(TICKET, DAY_MS);
      expect(await store.getTicket("h1")).toMatchObject({ ...TICKET, state: "open" });
      expect(await store.getTicket("h2")).toBeUndefined();
      expect(await store.getTicket("h\0")).toBeUndefined();
      const held = await Promise.all([store, rival, store, rival].map((client) => client.holdTicket("h1", 30_000)));
      expect(held.filter(Boolean)).toHaveLength(1);
      await store.closeTicket("h1", false);
      expect(await store.holdTicket("h1", 30_000)).toBe(true);
      // A replica that died with a hold has used nothing up.
      await passTime(31_000);
      expect(await store.holdTicket("h1", 30_000)).toBe(true);
      await store.closeTicket("h1", true);
      await store.closeTicket("h1", false);
      expect(await store.getTicket("h1")).toMatchObject({ state: "used" });
      expect(await store.holdTicket("h1", 30_000)).toBe(false);
      expect(await store.holdTicket("h2", 30_000)).toBe(false);
    });

    it("expire by database time, and are forgotten later", async () => {
      const { store, passTime } = subjectOf();
      await store.addTicket(TICKET, 60_000);
      await store.addTicket({ ...TICKET, hash: "h2" }, 600_000);
      await passTime(61_000);
      expect(await store.getTicket("h1")).toMatchObject({ state: "expired" });
      expect(await store.holdTicket("h1", 30_000)).toBe(false);
      expect(await store.holdTicket("h2", 30_000)).toBe(true);
      const now = await store.now();
      expect(await store.pruneTickets(now - 3_600_000, 10)).toBe(0);
      expect(await store.pruneTickets(now + 61_000, 10)).toBe(1);
      expect(await store.getTicket("h1")).toBeUndefined();
    });
  });
}
