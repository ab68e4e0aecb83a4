import { describe, expect, it } from "vitest";
import {
  BadCursor,
  type LedgerChange,
  type Listed,
  type NewVerdict,
  type RunCommit,
  type RunVerdict,
  type StoredVerdict,
} from "../../src/store/index.ts";
import { creation, logFrom, share, usage } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const spent = (micros: number): LedgerChange => ({
  envelopeId: "monthly",
  periodStart: 1_000,
  reserved: 0,
  spent: micros,
  ceiling: null,
});

const kept = (verdictId: string, at = 1): StoredVerdict => ({
  verdictId,
  nodeId: "a",
  attempt: 1,
  at,
  disposition: "allow",
  gate: null,
  code: null,
  body: { trail: [], text: "\u0000 \u2028 '" },
});

const verdict = (verdictId: string, at = 1): NewVerdict => {
  const { body, ...rest } = kept(verdictId, at);
  return { ...rest, bodyText: JSON.stringify(body) };
};

/** What was decided, and what it came to cost. */
export function verdictRules(subjectOf: SubjectOf): void {
  const make = (id: string, parts: Partial<RunCommit>): RunCommit => creation(id, {}, parts);

  describe("verdicts and usage", () => {
    it("are kept with the commit, verdicts in their order", async () => {
      const { store } = subjectOf();
      await store.commit([make("run_1", { verdicts: [verdict("v1", 1), verdict("v2", 1)] })]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { verdicts: [verdict("v3", 2)] })]);
      expect(await store.verdictsOf("org_1", "run_1")).toEqual([kept("v1"), kept("v2"), kept("v3", 2)]);
      expect(await store.verdictsOf("org_2", "run_1")).toEqual([]);
    });

    it("are kept with names for what many share, and read with it written out, in every organisation", async () => {
      const { store } = subjectOf();
      const trail = [{ gate: "identity", outcome: "pass" }];
      const shared = [{ name: "@trail", text: JSON.stringify(trail) }];
      const named = (id: string): NewVerdict => ({ ...verdict(id), bodyText: '{"trail":"@trail"}', shared });
      const whole = (id: string): StoredVerdict => ({ ...kept(id), body: { trail } });
      await store.commit([make("run_1", { verdicts: [named("v1"), named("v2")] })]);
      await store.commit([make("run_2", { orgId: "org_2", verdicts: [named("w1")] })]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { verdicts: [named("v3")] })]);
      expect(await store.verdictsOf("org_1", "run_1")).toEqual([whole("v1"), whole("v2"), whole("v3")]);
      expect(await store.verdictsOf("org_2", "run_2")).toEqual([whole("w1")]);
    });

    it("are listed newest first, as many as are asked for, however many a commit holds", async () => {
      const { store } = subjectOf();
      const five = ["v1", "v2", "v3", "v4", "v5"].map((id) => verdict(id, 10));
      await store.commit([make("run_1", { verdicts: five }), make("run_2", { verdicts: [verdict("w1", 10)] })]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { verdicts: [verdict("v6", 10), verdict("v7", 10)] })]);
      await store.commit([share("run_2", 1, logFrom(2, 1), { verdicts: [verdict("w2", 11), verdict("w3", 11)] })]);
      const all = ["w3", "w2", "w1", "v7", "v6", "v5", "v4", "v3", "v2", "v1"];
      for (const limit of [1, 2, 3, 7, 9, 10, 11]) {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Listed<RunVerdict> = await store.listVerdicts("org_1", 10, { limit, cursor });
          expect(page.data.length).toBe(Math.min(limit, all.length - seen.length));
          seen.push(...page.data.map(({ verdictId }) => verdictId));
          cursor = page.nextCursor;
        } while (cursor !== null);
        expect([limit, seen]).toEqual([limit, all]);
      }
      const newer = await store.listVerdicts("org_1", 11, { limit: 10, cursor: null });
      expect(newer.data).toEqual([
        { ...kept("w3", 11), runId: "run_2" },
        { ...kept("w2", 11), runId: "run_2" },
      ]);
      expect((await store.listVerdicts("org_2", 0, { limit: 10, cursor: null })).data).toEqual([]);
      await expect(store.listVerdicts("org_1", 0, { limit: 1, cursor: "nonsense" })).rejects.toThrow(BadCursor);
    });

    it("of usage go when they are old, so many at a time", async () => {
      const { store } = subjectOf();
      await store.ensureOrganisation("org_1");
      await store.commit([make("run_1", { usage: [usage(1), usage(2), usage(3), usage(4)] })]);
      expect(await store.pruneUsage(4, 2)).toBe(2);
      expect(await store.pruneUsage(4, 2)).toBe(1);
      expect(await store.pruneUsage(4, 2)).toBe(0);
      const left = await store.usage("org_1", { bucket: "hour", by: null, since: 0, until: 10 });
      expect(left.map(({ count }) => count)).toEqual([1]);
    });

    it("show an envelope with more spent than they explain", async () => {
      const { store } = subjectOf();
      await store.commit([make("run_1", { usage: [usage(999), usage(1_000), usage(2_000)], ledger: [spent(10)] })]);
      expect(await store.unexplainedSpending(0)).toEqual([]);
      await store.commit([make("run_2", { ledger: [spent(1)] })]);
      expect(await store.unexplainedSpending(1_000)).toEqual([
        "envelope monthly of org_1: 11 micro-dollars spent, usage explains 10",
      ]);
      expect(await store.unexplainedSpending(1_001)).toEqual([]);
    });

    it("are not kept when the commit is refused", async () => {
      const { store } = subjectOf();
      await store.commit([make("run_1", {})]);
      await store.commit([share("run_1", 9, logFrom(2, 1), { verdicts: [verdict("v1")], usage: [usage(1)] })]);
      expect(await store.verdictsOf("org_1", "run_1")).toEqual([]);
      expect(await store.usage("org_1", { bucket: "day", by: null, since: 0, until: 10 })).toEqual([]);
    });

    it("add up by bucket and by whatever is asked for", async () => {
      const { store } = subjectOf();
      const sunday = Date.UTC(2026, 10, 15);
      const records = [usage(sunday), usage(sunday + 3_600_000, { model: null }), usage(sunday - 1, { agentId: "b" })];
      await store.commit([make("run_1", { usage: records, workflow: "triage" })]);
      const by = (bucket: "hour" | "day" | "week" | "month", group: "agent" | "model" | "workflow" | null) =>
        store.usage("org_1", { bucket, by: group, since: 0, until: sunday + 86_400_000 });
      expect((await by("hour", null)).map(({ bucketStart }) => bucketStart - sunday)).toEqual([
        -3_600_000, 0, 3_600_000,
      ]);
      expect((await by("week", null)).map(({ bucketStart, count }) => [bucketStart - sunday, count])).toEqual([
        [-7 * 86_400_000, 1],
        [0, 2],
      ]);
      expect((await by("month", "agent")).map(({ group, costMicros }) => [group, costMicros])).toEqual([
        ["analyst", 10],
        ["b", 5],
      ]);
      expect((await by("day", "model")).map(({ group, count }) => [group, count])).toEqual([
        ["m", 1],
        [null, 1],
        ["m", 1],
      ]);
      expect(await by("month", "workflow")).toMatchObject([{ group: "triage", inputTokens: 3, cachedTokens: 12 }]);
    });
  });
}
