import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { openEmbedded } from "../../src/store/embedded/index.ts";
import { Scheduler } from "../../src/outside/schedule/index.ts";
import { createSqlStore, type RunRecord, type Store } from "../../src/store/index.ts";
import { sqlSubject } from "../contracts/sql-subject.ts";
import type { Subject } from "../contracts/store-contract.ts";
import { connect, createDatabase } from "../postgres/database.ts";
import { HandClock } from "../schedule/hand-clock.ts";
import { StoreLauncher } from "../schedule/store-launcher.ts";

const ORG = "org_1";
const QUARTER_MS = 900_000;
/** Before Berlin puts its clocks back, on 25 October 2026 at 01:00 UTC. */
const START = Date.UTC(2026, 9, 24, 20);
const PUT_BACK = Date.UTC(2026, 9, 25, 1);

interface Replica {
  readonly scheduler: Scheduler;
  readonly launcher: StoreLauncher;
}

async function postgres(): Promise<Subject> {
  const { url, drop } = await createDatabase();
  return sqlSubject(connect(url, 3), connect(url, 3), drop);
}

async function embedded(): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-schedules-"));
  const sql = await openEmbedded({ directory });
  await createSqlStore(sql).migrate();
  return sqlSubject(sql, sql, async () => rmSync(directory, { recursive: true }));
}

describe.each([
  ["Postgres", postgres],
  ["the embedded database", embedded],
] as const)("schedules of two replicas on %s", (_name, open) => {
  let subject: Subject;
  let clock: HandClock;
  let troubles: string[];
  beforeAll(async () => {
    subject = await open();
  });
  beforeEach(async () => {
    await subject.reset();
    clock = new HandClock(START);
    troubles = [];
  });
  afterAll(() => subject.close());

  function replica(replicaId: string, store: Store): Replica {
    const launcher = new StoreLauncher(store, replicaId);
    const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
    return { launcher, scheduler: new Scheduler({ store, launcher, clock, replicaId, onTrouble }) };
  }

  async function pair(spec: JsonObject): Promise<readonly [Replica, Replica]> {
    const body = { workflow: "report", cron: "*/15 * * * *", timezone: "Europe/Berlin", ...spec };
    await subject.store.putEntry(ORG, "schedule", "often", body, clock.time);
    const both = [replica("a", subject.store), replica("b", subject.rival)] as const;
    await Promise.all(both.map(({ scheduler }) => scheduler.tick()));
    return both;
  }

  async function allRuns(): Promise<readonly RunRecord[]> {
    const runs: RunRecord[] = [];
    let cursor: string | null = null;
    do {
      const page = await subject.store.listRuns(ORG, {}, { limit: 100, cursor });
      runs.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return runs;
  }

  /** The instants whose runs were started, as their slots record. */
  async function startedSlots(): Promise<number[]> {
    const { data } = await subject.store.listSlots(ORG, "often", { limit: 1_000, cursor: null });
    expect(data.every(({ state }) => state === "started")).toBe(true);
    const runIds = new Set((await allRuns()).map(({ runId }) => runId));
    expect(new Set(data.map(({ runId }) => runId))).toEqual(runIds);
    expect(runIds.size).toBe(data.length);
    return data.map(({ slotAt }) => slotAt).toReversed();
  }

  /** Every quarter of an hour, but for those that clocks show for the second time. */
  function quarters(count: number): number[] {
    const all = Array.from({ length: count + 4 }, (_, index) => START + index * QUARTER_MS);
    return all.filter((at) => at < PUT_BACK || at >= PUT_BACK + 4 * QUARTER_MS);
  }

  it("start exactly one run for each of a hundred slots, over a change of the clocks", async () => {
    const [a, b] = await pair({ overlap: "allow" });
    const slots = quarters(100);
    for (let at = START; at <= (slots.at(-1) ?? START); at += QUARTER_MS) {
      clock.time = at;
      await Promise.all([a.scheduler.tick(), b.scheduler.tick()]);
    }
    expect(await startedSlots()).toEqual(slots);
    expect(troubles).toEqual([]);
  });

  it("start exactly one run for each slot while one of them dies at every other", async () => {
    const [a, b] = await pair({ overlap: "allow" });
    let launches = 0;
    const die = (moment: number) => (): void => {
      launches += 1;
      if (launches % 3 === moment) throw new Error("killed");
    };
    a.launcher.before = die(1);
    a.launcher.after = die(2);
    const slots = quarters(16);
    for (const at of slots.slice(1)) {
      clock.time = at;
      await a.scheduler.tick();
      clock.time += 15_000;
      await Promise.all([a.scheduler.tick(), b.scheduler.tick()]);
      clock.time += 15_000;
      await b.scheduler.tick();
      clock.time += 15_000;
      await b.scheduler.tick();
    }
    expect(await startedSlots()).toEqual(slots);
    expect(troubles.length).toBeGreaterThan(0);
  });

  it("never have two runs open at a time where they may not overlap", async () => {
    const [a, b] = await pair({ overlap: "queue", cron: null, every_seconds: 1 });
    for (let second = 1; second <= 20; second += 1) {
      clock.time = START + second * 1_000;
      await Promise.all([a.scheduler.tick(), b.scheduler.tick()]);
      const open = (await allRuns()).filter(({ status }) => status === "running");
      expect(open).toHaveLength(1);
      const [run] = open;
      if (run !== undefined && second % 3 === 0) await a.launcher.end(ORG, run.runId);
    }
    const { data } = await subject.store.listSlots(ORG, "often", { limit: 100, cursor: null });
    expect(data).toHaveLength(21);
    expect(data.filter(({ state }) => state === "queued").length).toBeLessThanOrEqual(1);
    expect(troubles).toEqual([]);
  });
});
