import { describe, expect, it } from "vitest";
import { auditEntry, type AuditHead } from "../../src/core/audit/index.ts";
import type { Hook, NewDelivery, Settlement, Store } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const delivery = (id: string, parts: Partial<NewDelivery> = {}): NewDelivery => ({
  id,
  orgId: "org_1",
  webhookId: "ops",
  type: "run.completed",
  body: '{"type":"run.completed","data":{"text":"a,\\"b\\\\\\u001e"}}',
  ...parts,
});
const PAGE = { limit: 10, cursor: null };
const SWEEP_MS = 10_000;

const versionOf = async (store: Store, orgId = "org_1"): Promise<number> =>
  (await store.configVersions()).get(orgId) ?? 0;

/** An organisation with one webhook that listens from the beginning. */
async function listening(store: Store, orgId = "org_1"): Promise<number> {
  await store.putEntry(orgId, "webhook", "ops", { url: "https://example.com" }, 1);
  const version = await versionOf(store, orgId);
  await store.subscribe(orgId, version, [{ webhookId: "ops", since: 1 }]);
  return version;
}

const states = async (store: Store): Promise<readonly (readonly [string, string])[]> =>
  (await store.listDeliveries("org_1", "ops", PAGE)).data.map(({ id, state }) => [id, state]);

/** Seals so many records, one for each of these runs. */
async function sealed(store: Store, runs: readonly string[], at = 5_000): Promise<void> {
  await store.appendAudit(
    "org_1",
    runs.map((run) => auditEntry({ at, type: "run.started", actor: "a", resource: `run/${run}`, run, detail: {} })),
  );
  await store.seal("org_1", 100, (head: AuditHead, pending) => {
    const entries = pending.flatMap(({ body }) => JSON.parse(body) as { type: "run.started"; run: string }[]);
    const records = entries.map(({ type, run }, index) => {
      const seq = head.seq + index + 1;
      return { seq, at, category: "execution", type, run, line: JSON.stringify({ seq, type, run }) } as const;
    });
    return { head: { ...head, seq: head.seq + records.length }, records, segments: [] };
  });
}

export function webhookRules(subjectOf: SubjectOf): void {
  describe("subscriptions", () => {
    it("count only for the version of what is registered that is the present one", async () => {
      const { store } = subjectOf();
      expect(await store.subscribe("org_1", 1, [{ webhookId: "ops", since: 1 }])).toBeNull();
      const version = await listening(store);
      expect(await store.listWebhookOrganisations()).toEqual(["org_1"]);
      expect(await store.subscribe("org_1", version + 1, [])).toBeNull();
      expect(await store.subscribe("org_1", version - 1, [])).toBeNull();
      expect(await store.subscribe("org_1", version, [{ webhookId: "ops", since: 9 }])).toEqual([
        { webhookId: "ops", since: 1 },
      ]);
    });

    it("that end take with them what waited, and nothing else", async () => {
      const { store } = subjectOf();
      const version = await listening(store);
      const both = [
        { webhookId: "ops", since: 1 },
        { webhookId: "log", since: 2 },
      ];
      expect(await store.subscribe("org_1", version, both)).toEqual([...both].reverse());
      await store.addDeliveries([delivery("a"), delivery("b"), delivery("c", { webhookId: "log" })]);
      const [first] = await store.claimDeliveries(1, 1_000, []);
      await store.settleDelivery(first?.id ?? "", first?.claim ?? 0, SETTLED);
      await store.subscribe("org_1", version, [{ webhookId: "log", since: 5 }]);
      expect(await states(store)).toEqual([
        ["b", "given_up"],
        ["a", "delivered"],
      ]);
      expect(await store.claimDeliveries(9, 1_000, [])).toMatchObject([{ id: "c" }]);
      expect(await store.subscribe("org_1", version, [])).toEqual([]);
      expect(await store.listWebhookOrganisations()).toEqual(["org_1"]);
      await store.deleteEntry("org_1", "webhook", "ops");
      expect(await store.listWebhookOrganisations()).toEqual([]);
    });
  });

  describe("the feed of a run", () => {
    it("moves on by exactly what is next, with its deliveries, under the present version", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { events: logFrom(0, 3) })]);
      expect(await store.listRunsAhead(["run_1"])).toEqual([]);
      const version = await listening(store);
      const ahead = { orgId: "org_1", runId: "run_1", workflow: "triage", traceId: "t".repeat(32), lastEventId: 3 };
      expect(await store.listRunsAhead(["run_1", "run_2"])).toEqual([{ ...ahead, fedEventId: 0 }]);
      const feed = { orgId: "org_1", runId: "run_1", version, from: 0, to: 2, deliveries: [delivery("a")] };
      expect(await store.feedRun({ ...feed, version: version + 1 })).toBe(false);
      expect(await store.feedRun(feed)).toBe(true);
      expect(await store.feedRun({ ...feed, deliveries: [delivery("b")] })).toBe(false);
      expect(await store.feedRun({ ...feed, from: 1, to: 3 })).toBe(false);
      expect(await store.listRunsAhead(["run_1"])).toEqual([{ ...ahead, fedEventId: 2 }]);
      expect(await store.feedRun({ ...feed, from: 2, to: 3, deliveries: [delivery("a"), delivery("c")] })).toBe(true);
      expect(await store.listRunsAhead(["run_1"])).toEqual([]);
      expect(await states(store)).toEqual([
        ["c", "pending"],
        ["a", "pending"],
      ]);
    });

    it("is moved by one of two", async () => {
      const { store, rival } = subjectOf();
      await store.commit([creation("run_1")]);
      const version = await listening(store);
      const feed = { orgId: "org_1", runId: "run_1", version, from: 0, to: 2 };
      const moved = await Promise.all([
        store.feedRun({ ...feed, deliveries: [delivery("a")] }),
        rival.feedRun({ ...feed, deliveries: [delivery("b")] }),
      ]);
      expect(moved.filter(Boolean)).toHaveLength(1);
      expect(await states(store)).toHaveLength(1);
    });

    it("that is behind is found while the run is open, and when cost came after its end", async () => {
      const { store } = subjectOf();
      await listening(store);
      const ended = { head: { status: "completed", endedAt: 2_000 } } as const;
      const usage = {
        nodeId: "a",
        attempt: 1,
        agentId: null,
        model: null,
        gatewayId: null,
        inputTokens: 1,
        outputTokens: 1,
        thinkingTokens: 0,
        cachedTokens: 0,
        costMicros: 1,
        priceId: null,
        at: 7_000,
      };
      await store.commit([
        creation("run_open"),
        creation("run_ended", {}, ended),
        creation("run_late", {}, { ...ended, usage: [usage] }),
        { ...creation("run_else"), orgId: "org_2" },
      ]);
      const found = async (since: number, limit = 10): Promise<readonly string[]> =>
        (await store.sweepRunsAhead("org_1", since, limit)).map(({ runId }) => runId);
      expect(await found(7_000)).toEqual(["run_late", "run_open"]);
      expect(await found(7_001)).toEqual(["run_open"]);
      expect(await found(0, 1)).toEqual(["run_late"]);
      expect(await store.sweepRunsAhead("org_2", 0, 10)).toEqual([]);
      await store.commit([share("run_open", 1, logFrom(2, 1))]);
      expect(await store.sweepRunsAhead("org_1", 9_000, 10)).toMatchObject([{ fedEventId: 0, lastEventId: 3 }]);
    });
  });

  describe("the feed of an organisation", () => {
    it("begins before what its first webhook may hear, and moves on by exactly what is next", async () => {
      const { store } = subjectOf();
      await sealed(store, ["old"], 5_000);
      await sealed(store, ["new"], 500_000);
      await store.putEntry("org_1", "webhook", "ops", {}, 1);
      const version = await versionOf(store);
      await store.subscribe("org_1", version, [{ webhookId: "ops", since: 500_000 }]);
      const [claim] = await store.claimFeeds(SWEEP_MS, 30_000, 10);
      expect(claim).toMatchObject({ orgId: "org_1", auditSeq: 1, headSeq: 2, sweptAt: 500_000 });
      const feed = { orgId: "org_1", version, from: 1, to: 2, deliveries: [delivery("a")] };
      expect(await store.feedAudit({ ...feed, version: version + 1 })).toBe(false);
      expect(await store.feedAudit({ ...feed, from: 0 })).toBe(false);
      expect(await store.feedAudit(feed)).toBe(true);
      expect(await store.feedAudit(feed)).toBe(false);
      expect(await states(store)).toEqual([["a", "pending"]]);
    });

    it("is held by one at a time, until it is let go or forgotten", async () => {
      const { store, rival, passTime } = subjectOf();
      await listening(store);
      await sealed(store, ["run_1"]);
      const claims = (await Promise.all([store, rival].map((one) => one.claimFeeds(SWEEP_MS, 30_000, 10)))).flat();
      expect(claims).toMatchObject([{ orgId: "org_1", isSweepDue: true }]);
      await passTime(31_000);
      const [again] = await store.claimFeeds(SWEEP_MS, 30_000, 10);
      expect(again).toMatchObject({ auditSeq: 0, headSeq: 1 });
      await store.endFeed("org_1", again?.now ?? 0);
      expect(await store.claimFeeds(SWEEP_MS, 30_000, 10)).toMatchObject([{ isSweepDue: false }]);
      await store.feedAudit({ orgId: "org_1", version: await versionOf(store), from: 0, to: 1, deliveries: [] });
      await store.endFeed("org_1", null);
      expect(await store.claimFeeds(SWEEP_MS, 30_000, 10)).toEqual([]);
      await passTime(SWEEP_MS + 1_000);
      expect(await store.claimFeeds(SWEEP_MS, 30_000, 10)).toMatchObject([{ isSweepDue: true }]);
    });
  });

  deliveryRules(subjectOf);
  hookRules(subjectOf);
}

const SETTLED: Settlement = { state: "delivered", retryMs: null, status: 204, error: null };
const FAILED: Settlement = { state: "failed", retryMs: 5_000, status: 500, error: "It answered 500." };

function deliveryRules(subjectOf: SubjectOf): void {
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
      expect(claims.flat().find(({ id }) => id === "m00")).toEqual({ ...delivery("m00"), claim: 1, attempts: 0 });
      expect(await store.claimDeliveries(99, 60_000, [])).toEqual([]);
      await passTime(61_000);
      expect((await store.claimDeliveries(99, 60_000, [])).map(({ id, claim }) => [id, claim])).toEqual(
        ids.map((id) => [id, 2]),
      );
    });

    it("pass by webhooks that have enough to do", async () => {
      const { store } = subjectOf();
      await store.addDeliveries([
        delivery("a"),
        delivery("b", { webhookId: "log" }),
        delivery("c", { orgId: "org_2" }),
      ]);
      const busy = [
        { orgId: "org_1", webhookId: "ops" },
        { orgId: "org_2", webhookId: "log" },
      ];
      expect((await store.claimDeliveries(9, 60_000, busy)).map(({ id }) => id)).toEqual(["b", "c"]);
    });

    it("are settled only by whoever claimed them last", async () => {
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

function hookRules(subjectOf: SubjectOf): void {
  const hook = (parts: Partial<Hook> = {}): Hook => ({
    orgId: "org_1",
    workflow: "triage",
    secret: "s1",
    previousSecret: null,
    previousUntil: null,
    createdAt: 5,
    updatedAt: 5,
    ...parts,
  });

  it("hooks are kept per organisation and workflow, found by workflow, and replaced", async () => {
    const { store } = subjectOf();
    await store.putHook(hook({ orgId: "org_2", createdAt: 9 }));
    await store.putHook(hook());
    await store.putHook(hook({ workflow: "other" }));
    const next = { secret: "s2", previousSecret: "s1", previousUntil: 99, createdAt: 7, updatedAt: 7 };
    await store.putHook(hook(next));
    expect(await store.getHook("org_1", "triage")).toEqual({ ...hook(next), createdAt: 5 });
    expect((await store.findHooks("triage", 10)).map(({ orgId }) => orgId)).toEqual(["org_1", "org_2"]);
    expect(await store.findHooks("triage", 1)).toHaveLength(1);
    expect(await store.findHooks("tri\0", 1)).toEqual([]);
    expect(await store.deleteHook("org_1", "triage")).toBe(true);
    expect(await store.deleteHook("org_1", "triage")).toBe(false);
    expect(await store.getHook("org_1", "triage")).toBeUndefined();
    expect(await store.findHooks("triage", 10)).toHaveLength(1);
  });
}
