import { describe, expect, it } from "vitest";
import type { RunEvent, RunStatus } from "../../src/core/event/index.ts";
import { quantileOf, successRateOf, type TrendBucket, type TrendGroup } from "../../src/core/search/index.ts";
import type { Store, UsageRecord, UsageSelection } from "../../src/store/index.ts";
import { creation, share, usage } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function started(agentId: string, at: number): RunEvent {
  const none = { gatewayId: null, provider: null, verdictId: null, executionPath: null };
  return {
    eventId: 1,
    at,
    type: "node.started",
    payload: { nodeId: "a", attempt: 1, wave: 0, agentId, model: "m", ...none },
  };
}

function run(id: string, createdAt: number, status: RunStatus, durationMs: number, workflow = "triage") {
  const head = { status, startedAt: createdAt, endedAt: createdAt + durationMs, costMicros: 10 };
  return creation(id, { createdAt, workflow }, { events: [started("ada", createdAt)], head });
}

async function readAll(store: Store): Promise<void> {
  while ((await store.indexRuns(3)) > 0);
}

export function trendRules(subjectOf: SubjectOf): void {
  describe("trends", () => {
    const seen = async (bucket: TrendBucket, by: TrendGroup | null, group?: string) => {
      const selection = { bucket, by, since: 0, until: 10 * DAY, ...(group === undefined ? {} : { group }) };
      const rows = await subjectOf().store.trends("org_1", selection);
      return rows.map((row) => {
        const { completed, failed, costMicros } = row.figures;
        return [row.bucketStart / HOUR, row.group, completed, failed, costMicros];
      });
    };

    it("add up runs that have ended, by when they were created and by what they had to do with", async () => {
      const { store } = subjectOf();
      await store.commit([
        run("run_1", 10, "completed", 1_000),
        run("run_2", HOUR + 1, "failed", 2_000),
        run("run_3", HOUR + 2, "completed", 4_000, "other"),
        run("run_4", DAY, "cancelled", 5),
        creation("run_5", { createdAt: 20 }),
        creation("run_6", { createdAt: 20, block: "a" }, { head: { status: "failed", endedAt: 30 } }),
      ]);
      await readAll(store);
      expect(await seen("hour", null)).toEqual([
        [0, null, 1, 0, 10],
        [1, null, 1, 1, 20],
        [24, null, 0, 0, 10],
      ]);
      expect(await seen("day", "workflow")).toEqual([
        [0, "other", 1, 0, 10],
        [0, "triage", 1, 1, 20],
        [24, "triage", 0, 0, 10],
      ]);
      expect(await seen("day", "version", "triage@1")).toEqual([
        [0, "triage@1", 1, 1, 20],
        [24, "triage@1", 0, 0, 10],
      ]);
      expect(await seen("day", "agent")).toEqual([
        [0, "ada", 2, 1, 30],
        [24, "ada", 0, 0, 10],
      ]);
      expect((await seen("day", "model")).map(([, group]) => group)).toEqual(["m", "m"]);
      expect(await store.trends("org_2", { bucket: "day", by: null, since: 0, until: DAY })).toEqual([]);
      const [first] = await store.trends("org_1", { bucket: "day", by: null, since: 0, until: DAY });
      if (first === undefined) throw new Error("there is no first day");
      expect(successRateOf(first.figures)).toBeCloseTo(2 / 3);
      expect(quantileOf(first.figures, 0.5)).toBeCloseTo(2_000, -3);
      expect(quantileOf(first.figures, 0.95)).toBeCloseTo(4_000, -3);
    });

    it("count a run once, as it ended last", async () => {
      const { store } = subjectOf();
      await store.commit([run("run_1", 10, "failed", 1_000)]);
      await readAll(store);
      await store.commit([share("run_1", 1, [], { head: { lastEventId: 1, status: "recovered" }, isReindexed: true })]);
      await readAll(store);
      expect(await seen("hour", null)).toEqual([]);
      const head = { lastEventId: 1, status: "completed", endedAt: 5_000, costMicros: 30 } as const;
      await store.commit([share("run_1", 2, [], { head, isReindexed: true })]);
      await store.commit([share("run_1", 3, [], { head: { ...head, costMicros: 40 }, isReindexed: true })]);
      await readAll(store);
      expect(await seen("hour", null)).toEqual([[0, null, 1, 0, 40]]);
    });
  });

  describe("usage that is added up", () => {
    const record = (at: number, model = "m"): UsageRecord => usage(at, { agentId: "ada", model, gatewayId: null });
    const now = Date.now();
    const today = Math.floor(now / DAY) * DAY;
    const counts = async (bucket: UsageSelection["bucket"], since: number, until: number) =>
      (await subjectOf().store.usage("org_1", { bucket, by: "model", since, until })).map(
        ({ bucketStart, group, count, costMicros }) => [(bucketStart - today) / HOUR, group, count, costMicros],
      );

    it("is the same as record by record, also at the ends and when some comes late", async () => {
      const { store } = subjectOf();
      const times = [-50 * HOUR, -49 * HOUR - 1, -30 * HOUR + 5, -26 * HOUR, -26 * HOUR + 1, -3 * HOUR].map(
        (offset) => today + offset,
      );
      await store.commit([creation("run_1", {}, { usage: [...times, now].map((at) => record(at)) })]);
      const asked = [
        ["hour", today - 60 * HOUR, now + 1],
        ["day", today - 60 * HOUR, now + 1],
        ["day", today - 49 * HOUR - 1, today - 26 * HOUR + 1],
        ["month", today - 60 * HOUR, now + 1],
        ["week", today - 26 * HOUR, today],
        ["hour", today - 26 * HOUR + 1, today - 26 * HOUR + 2],
      ] as const;
      const ask = () => Promise.all(asked.map(([bucket, since, until]) => counts(bucket, since, until)));
      const before = await ask();
      while (await store.rollUsage());
      expect(await ask()).toEqual(before);
      await store.commit([
        share("run_1", 1, [], { head: { lastEventId: 2 }, usage: [record(today - 30 * HOUR, "late")] }),
      ]);
      await store.rollUsage();
      await store.rollUsage();
      expect(await counts("day", today - 60 * HOUR, today - 24 * HOUR)).toEqual([
        [-72, "m", 2, 10],
        [-48, "late", 1, 5],
        [-48, "m", 3, 15],
      ]);
      expect(await counts("hour", today - 30 * HOUR, today - 29 * HOUR)).toEqual([
        [-30, "late", 1, 5],
        [-30, "m", 1, 5],
      ]);
    });
  });
}
