import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { createSqlStore, type RunRecord, type Sql, type Store } from "../../src/store/index.ts";
import { Prng } from "../simulation/prng.ts";
import { Api } from "./support/api.ts";
import { ORG } from "./support/governed.ts";
import { openReadableGround, type ReadableGround } from "./support/ground.ts";
import { KEY, liveByCalls } from "./support/kills.ts";
import { prepareProgram, type ServerProcess, type ServerSettings, startServer } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const MINUTES = 60_000;
const FAMILIES_PER_LIFE = 4;

/** Three levels: every level works before and after the one below it. */
const WORKFLOWS = {
  bottom: [
    { id: "dig", command: "dig" },
    { id: "wash", command: "wash", depends_on: ["dig"] },
  ],
  middle: [
    { id: "go", command: "go" },
    { id: "down", workflow_ref: "bottom", depends_on: ["go"] },
    { id: "back", command: "back", depends_on: ["down"] },
  ],
  top: [
    { id: "left", workflow_ref: "middle" },
    { id: "right", workflow_ref: "bottom" },
    { id: "sum", command: "sum", depends_on: ["left", "right"] },
  ],
};
const SCRIPT = {
  default: "echo",
  nodes: {
    dig: { delay_ms: 60, cost_usd: 0.000_1 },
    wash: { delay_ms: 40, cost_usd: 0.000_2 },
    go: { delay_ms: 20, cost_usd: 0.000_4 },
    back: { cost_usd: 0.000_8 },
    sum: { cost_usd: 0.001_6 },
  },
};
const WHOLE_COST = 400 + 300 + 800 + 300 + 1_600;

let ground: ReadableGround | null = null;
beforeAll(() => prepareProgram(), 5 * MINUTES);
afterEach(() => ground?.close());

interface Scene {
  readonly settings: ServerSettings;
  readonly replicas: number;
  readonly kills: number;
}

/** Families begin, some are called off, and servers die in the middle of it. */
async function live({ settings, replicas, kills }: Scene): Promise<number> {
  const dice = new Prng(11);
  const servers: (ServerProcess | null)[] = await Promise.all(
    Array.from({ length: replicas }, () => startServer(settings)),
  );
  try {
    const api = new Api(KEY, () => servers.flatMap((server) => (server === null ? [] : [server.url])));
    for (const name of ["bottom", "middle", "top"] as const)
      await api.putWorkflow(name, JSON.stringify({ name, steps: WORKFLOWS[name] }));
    const starting: Promise<unknown>[] = [];
    for (let life = 0; life <= kills; life += 1) {
      for (let family = 0; family < FAMILIES_PER_LIFE; family += 1) {
        const started = api.startRun("top", `family-${life}-${family}`);
        const isCalledOff = family === 0;
        starting.push(isCalledOff ? started.then(({ id }) => api.tryPost(`/runs/${id}/cancel`, {})) : started);
      }
      if (life === kills) break;
      await liveByCalls(settings.ledger, dice);
      const victim = dice.below(servers.length);
      const dying = servers[victim];
      servers[victim] = null;
      await dying?.kill();
      servers[victim] = await startServer(settings);
    }
    await Promise.all(starting);
    await waitFor(
      "all runs to end",
      async () => (await api.listRuns("running")).length === 0 && (await api.listRuns("queued")).length === 0,
      { everyMs: 250 },
    );
    for (const server of servers) await server?.stop();
    return starting.length;
  } finally {
    for (const server of servers) await server?.kill();
  }
}

async function allRuns(store: Store): Promise<readonly RunRecord[]> {
  const runs: RunRecord[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await store.listRuns(ORG, {}, { limit: 100, cursor });
    runs.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === null) return runs;
  }
}

/** Every child once, none outlives a cancelled parent, and what a family cost is what its runs spent. */
async function expectWholeFamilies(sql: Sql, families: number): Promise<void> {
  const store = createSqlStore(sql);
  const runs = await allRuns(store);
  const tops = runs.filter(({ parentRunId }) => parentRunId === null);
  expect(tops).toHaveLength(families);
  const places = runs.flatMap(({ parentRunId, parentNode, parentAttempt }) =>
    parentRunId === null ? [] : [`${parentRunId}/${parentNode}/${parentAttempt}`],
  );
  expect(new Set(places).size).toBe(places.length);
  const byId = new Map(runs.map((run) => [run.runId, run]));
  for (const { status, parentRunId, endedAt } of runs) {
    const parent = parentRunId === null ? undefined : byId.get(parentRunId);
    if (parent === undefined) continue;
    expect(endedAt ?? Infinity).toBeLessThanOrEqual(parent.endedAt ?? 0);
    if (parent.status === "completed") expect(status).toBe("completed");
  }
  const completed = tops.filter(({ status }) => status === "completed");
  expect(completed.length).toBeGreaterThanOrEqual(families - families / FAMILIES_PER_LIFE);
  expect(new Set(completed.map(({ costMicros }) => costMicros))).toEqual(new Set([WHOLE_COST]));
  const left = await sql.query<{ left: number }>({
    name: "",
    text: `select (select count(*) from open_attempts) + (select count(*) from timers) as left`,
  });
  expect(left).toEqual([{ left: 0 }]);
}

describe("families of runs", () => {
  it.each([
    { on: "embedded", replicas: 1 },
    { on: "postgres", replicas: 2 },
  ] as const)(
    "are whole after kills on $on, $replicas at a time",
    async ({ on, replicas }) => {
      ground = await openReadableGround(on, SCRIPT);
      const families = await live({ settings: ground.settings, replicas, kills: 1 });
      await ground.read((sql) => expectWholeFamilies(sql, families));
    },
    5 * MINUTES,
  );
});
