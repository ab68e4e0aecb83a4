import { describe, expect, it } from "vitest";
import { auditEntry, type AuditHead } from "../../src/core/audit/index.ts";
import type { Store } from "../../src/store/index.ts";
import { delivery, listening, states, versionOf } from "./listeners.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const SWEEP_MS = 10_000;

/** Seals so many records, one for each of these runs. */
async function sealed(store: Store, runs: readonly string[], at = 5_000): Promise<void> {
  await store.appendAudit(
    "org_1",
    runs.map((run) => auditEntry({ at, type: "run.started", actor: "a", resource: `run/${run}`, run, detail: {} })),
  );
  await store.seal("org_1", 100, (head: AuditHead, pending) => {
    const entries = pending.flatMap((one) => one.entries);
    const records = entries.map(({ type, run = null }, index) => {
      const seq = head.seq + index + 1;
      return { seq, at, category: "execution", type, run, line: JSON.stringify({ seq, type, run }) } as const;
    });
    return { head: { ...head, seq: head.seq + records.length }, records, segments: [] };
  });
}

export function feedRules(subjectOf: SubjectOf): void {
  describe("the feed of a run", () => {
    it("moves on by exactly what is next, with its deliveries, under the present version", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { events: logFrom(0, 3) })]);
      expect(await store.listRunsAhead(["run_1"])).toEqual([]);
      const version = await listening(store);
      const ahead = {
        orgId: "org_1",
        runId: "run_1",
        workflow: "triage",
        traceId: "t".repeat(32),
        block: null,
        lastEventId: 3,
      };
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

    it("knows whether it is the run of a block", async () => {
      const { store } = subjectOf();
      await listening(store);
      await store.commit([creation("run_1", { block: "each" })]);
      expect(await store.listRunsAhead(["run_1"])).toMatchObject([{ runId: "run_1", block: "each" }]);
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
    it("begins before what its first webhook may receive, and moves on by exactly what is next", async () => {
      const { store } = subjectOf();
      await sealed(store, ["old"], 5_000);
      await sealed(store, ["new"], 500_000);
      await store.putEntry("org_1", "webhook", "ops", {}, 1);
      const version = await versionOf(store);
      await store.subscribe("org_1", version, [{ targetId: "ops", since: 500_000 }]);
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
}
