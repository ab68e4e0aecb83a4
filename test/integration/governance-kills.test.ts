import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createSqlStore, type Sql } from "../../src/store/index.ts";
import { Prng } from "../simulation/prng.ts";
import { Api } from "./support/api.ts";
import { fanOut, ORG } from "./support/governed.ts";
import { SNAPSHOT, type SnapshotRow } from "./support/governed-database.ts";
import { openReadableGround, type ReadableGround } from "./support/ground.ts";
import { KEY, liveByCalls } from "./support/kills.ts";
import { prepareProgram, type ServerProcess, type ServerSettings, startServer } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const MINUTES = 60_000;
const RUNS_PER_LIFE = 6;

/** Delays wide enough to be killed in, failures that cost, and what is never answered in time. */
const SCRIPT = {
  default: "echo",
  nodes: {
    n0: { delay_ms: 40, cost_usd: 0.000_1 },
    n1: [
      { delay_ms: 30, fail: "provider_error", cost_usd: 0.000_2 },
      { delay_ms: 20, cost_usd: 0.000_3 },
    ],
    n2: [{ hang: true }, { cost_usd: 0.000_5 }],
    n3: { delay_ms: 90, cost_usd: 0.000_7, duplicate_callback: 2 },
  },
};
const STEP = {
  estimated_cost: 0.000_3,
  timeout: 1,
  on_failure: "retry",
  retry: { attempts: 2, backoff_ms: 10, max_backoff_ms: 20 },
};

let ground: ReadableGround | null = null;
beforeAll(() => prepareProgram(), 5 * MINUTES);
afterEach(() => ground?.close());

/** Kills the server again and again while it spends, and stops it when everything has ended. */
async function spendAndKill(kills: number, settings: ServerSettings): Promise<number> {
  const dice = new Prng(5);
  let server: ServerProcess | null = await startServer(settings);
  try {
    const api = new Api(KEY, () => (server === null ? [] : [server.url]));
    await api.put("/agents/default", { trust_level: 5, max_concurrent: 4 });
    await api.put("/budgets/cap", { scope: "global", period: "monthly", amount_usd: 0.05 });
    await api.putWorkflow("w", fanOut(4, STEP));
    const starting: Promise<unknown>[] = [];
    for (let life = 0; life <= kills; life += 1) {
      for (let run = 0; run < RUNS_PER_LIFE; run += 1) starting.push(api.startRun("w", `key-${life}-${run}`));
      if (life === kills) break;
      await liveByCalls(settings.ledger, dice);
      const dying: ServerProcess = server;
      server = null;
      await dying.kill();
      server = await startServer(settings);
    }
    await Promise.all(starting);
    await waitFor("all runs to end", async () => (await api.listRuns("running")).length === 0, { everyMs: 250 });
    await server.stop();
    return starting.length;
  } finally {
    await server?.kill();
  }
}

/** Everything that can be counted twice is, and comes to the same. */
async function expectExactBooks(sql: Sql, runs: number): Promise<void> {
  const store = createSqlStore(sql);
  const rows = await sql.query<SnapshotRow & Record<string, string | number>>(SNAPSHOT);
  expect(rows.filter(({ counted, found }) => counted !== found)).toEqual([]);
  const { agents, envelopes } = await store.readCounters(ORG, 0);
  // Windows of starts stand beside agents, under names that hold a slash.
  expect(agents.filter(({ agentId }) => !agentId.includes("/"))).toMatchObject([{ agentId: "default", open: 0 }]);
  const [cap] = envelopes;
  expect(cap).toMatchObject({ envelopeId: "cap", reserved: 0 });
  const { data } = await store.listRuns(ORG, {}, { limit: 100, cursor: null });
  expect(data).toHaveLength(runs);
  let recorded = 0;
  for (const { runId } of data) {
    for (const { type, payload } of await store.readEvents(ORG, runId, 0, 1_000))
      if (type === "cost.recorded") recorded += (payload as { readonly costMicros: number }).costMicros;
  }
  expect(recorded).toBeGreaterThan(0);
  expect(cap?.spent).toBe(recorded);
  expect(await store.recount()).toEqual([]);
}

describe("a server that is killed while it spends", () => {
  it.each([
    { on: "embedded", kills: 1 },
    { on: "postgres", kills: 2 },
  ] as const)(
    "has every micro-dollar booked once on $on",
    async ({ on, kills }) => {
      ground = await openReadableGround(on, SCRIPT);
      const runs = await spendAndKill(kills, ground.settings);
      await ground.read((sql) => expectExactBooks(sql, runs));
    },
    5 * MINUTES,
  );
});
