import { describe, expect, it } from "vitest";
import type { AttemptReport } from "../../src/store/index.ts";
import { creation, link, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const report = (parts: Partial<AttemptReport> = {}): AttemptReport => ({
  nodeId: "a",
  attempt: 1,
  agentId: "writer",
  sessionId: "s/1",
  messages: [{ role: "user", content: "hi \u0000 there" }],
  logs: '{"level":"info","message":"began"}',
  at: 1_000,
  ...parts,
});

/** Registries, gateways and what attempts say besides their results. */
export function gatewayRules(subjectOf: SubjectOf): void {
  describe("a registry", () => {
    it("counts what changed, and only that", async () => {
      const { store } = subjectOf();
      const first = await store.putEntry("org_1", "gateway", "edge-1", { url: "http://a" }, 10);
      expect(first).toEqual({
        id: "edge-1",
        revision: 1,
        body: { url: "http://a" },
        createdAt: 10,
        updatedAt: 10,
        savedBy: null,
      });
      const same = await store.putEntry("org_1", "gateway", "edge-1", { url: "http://a" }, 20);
      expect([same.revision, same.updatedAt]).toEqual([1, 10]);
      const second = await store.putEntry("org_1", "gateway", "edge-1", { url: "http://b" }, 30);
      expect([second.revision, second.createdAt, second.updatedAt]).toEqual([2, 10, 30]);
      expect(await store.getEntry("org_1", "gateway", "edge-1")).toEqual(second);
      expect(await store.getEntry("org_2", "gateway", "edge-1")).toBeUndefined();
      expect(await store.getEntry("org_1", "agent", "edge-1")).toBeUndefined();
      expect(await store.getEntry("org_1", "gateway", "edge\0")).toBeUndefined();
    });

    it("lists by id, page by page, one kind of one organisation", async () => {
      const { store } = subjectOf();
      for (const id of ["c", "a", "b"]) await store.putEntry("org_1", "gateway", id, { id }, 1);
      await store.putEntry("org_2", "gateway", "z", {}, 1);
      await store.putEntry("org_1", "agent", "y", {}, 1);
      const page = await store.listEntries("org_1", "gateway", { limit: 2, cursor: null });
      expect(page.data.map(({ id }) => id)).toEqual(["a", "b"]);
      const rest = await store.listEntries("org_1", "gateway", { limit: 2, cursor: page.nextCursor });
      expect([rest.data.map(({ id }) => id), rest.nextCursor]).toEqual([["c"], null]);
    });

    it("forgets one entry of one organisation", async () => {
      const { store } = subjectOf();
      await store.putEntry("org_1", "gateway", "a", {}, 1);
      expect(await store.deleteEntry("org_2", "gateway", "a")).toBe(false);
      expect(await store.deleteEntry("org_1", "gateway", "a")).toBe(true);
      expect(await store.deleteEntry("org_1", "gateway", "a")).toBe(false);
    });
  });

  describe("a gateway's link", () => {
    it("is found by its token, and by the one before until that runs out", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const linked = link("edge-1", { callbackHash: "h2", previousCallbackHash: "h1", previousUntil: now + 60_000 });
      await store.putGatewayLink(linked);
      expect(await store.findGatewayLink("h2")).toEqual(linked);
      expect(await store.findGatewayLink("h1")).toEqual(linked);
      expect(await store.findGatewayLink("h0")).toBeUndefined();
      await store.putGatewayLink({ ...linked, previousUntil: now - 1 });
      expect(await store.findGatewayLink("h1")).toBeUndefined();
    });

    it("is of one organisation, and gone once it is deleted", async () => {
      const { store } = subjectOf();
      await store.putGatewayLink(link("edge-1", { callbackHash: "h1" }));
      await store.putGatewayLink(link("edge-1", { orgId: "org_2", callbackHash: "h2" }));
      expect((await store.listGatewayLinks("org_1")).map(({ callbackHash }) => callbackHash)).toEqual(["h1"]);
      expect((await store.listGatewayLinks("org_2", "org_1")).map(({ orgId }) => orgId)).toEqual(["org_1", "org_2"]);
      expect(await store.deleteGatewayLink("org_1", "edge-1")).toBe(true);
      expect(await store.deleteGatewayLink("org_1", "edge-1")).toBe(false);
      expect(await store.findGatewayLink("h2")).toMatchObject({ orgId: "org_2" });
    });

    it("has a callback token of its own, also when two are saved at the same moment", async () => {
      const { store } = subjectOf();
      const saved = await Promise.all(
        ["edge-1", "edge-2", "edge-3"].map((id) => store.putGatewayLink(link(id, { callbackHash: "shared" }))),
      );
      expect(saved.filter(Boolean)).toHaveLength(1);
      const links = await store.listGatewayLinks("org_1");
      expect(links.map(({ callbackHash }) => callbackHash)).toEqual(["shared"]);
      const [kept] = links;
      if (kept === undefined) throw new Error("none was saved");
      expect(await store.putGatewayLink({ ...kept, seenAt: 7 })).toBe(true);
      expect(await store.putGatewayLink(link("edge-4"))).toBe(true);
      expect(await store.putGatewayLink(link("edge-5"))).toBe(true);
      expect(await store.putGatewayLink(link("edge-5", { orgId: "org_2", callbackHash: "shared" }))).toBe(false);
    });

    it("remembers how it was, one entry per change", async () => {
      const { store } = subjectOf();
      await store.putGatewayLink(link("edge-1"));
      await store.putGatewayLink(link("edge-1", { seenAt: 5 }));
      const later = (await store.now()) + 1_000;
      await store.setGatewayStatus("org_1", "edge-1", "offline", later);
      await store.setGatewayStatus("org_1", "edge-1", "offline", later + 1);
      await store.setGatewayStatus("org_1", "unknown", "offline", later);
      const history = await store.gatewayHistory("org_1", "edge-1", 10);
      expect(history.map(({ status }) => status)).toEqual(["offline", "healthy"]);
      expect(history[0]?.at).toBe(later);
      expect(await store.listGatewayLinks("org_1")).toMatchObject([{ status: "offline", seenAt: 5 }]);
    });
  });

  it("keeps the first of an installation's secrets, whatever comes later", async () => {
    const { store, rival } = subjectOf();
    const [one, two] = await Promise.all([store.ensureSecret("box", "a"), rival.ensureSecret("box", "b")]);
    expect(one).toBe(two);
    expect(await store.ensureSecret("box", "c")).toBe(one);
  });

  describe("what an attempt said besides its result", () => {
    it("is kept with the commit that takes the result, the first time it is said", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { reports: [report()] })]);
      const again = share("run_1", 1, logFrom(2, 1), { reports: [report({ logs: "other" }), report({ attempt: 2 })] });
      await store.commit([again]);
      expect(await store.reportsOf("org_1", "run_1", "a")).toEqual([report(), report({ attempt: 2 })]);
      expect(await store.reportsOf("org_2", "run_1", "a")).toEqual([]);
    });

    it("is not kept when the commit is refused", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1")]);
      const late = share("run_1", 7, logFrom(2, 1), { reports: [report()] });
      expect((await store.commit([late])).conflicts).toEqual(["run_1"]);
      expect(await store.reportsOf("org_1", "run_1", "a")).toEqual([]);
    });

    it("makes up the thread of an agent, oldest first, the newest so many", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", {}, { reports: [report({ at: 3 }), report({ nodeId: "b", at: 1 })] }),
        creation("run_2", {}, { reports: [report({ at: 2 }), report({ nodeId: "c", sessionId: "other" })] }),
      ]);
      const thread = await store.readThread("org_1", "writer", "s/1", 10);
      expect(thread.map(({ runId, nodeId }) => `${runId} ${nodeId}`)).toEqual(["run_1 b", "run_2 a", "run_1 a"]);
      expect((await store.readThread("org_1", "writer", "s/1", 2)).map(({ at }) => at)).toEqual([2, 3]);
      expect(await store.readThread("org_1", "reader", "s/1", 2)).toEqual([]);
    });
  });
}
