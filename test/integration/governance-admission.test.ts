import { afterEach, describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../../src/adapters/index.ts";
import type { StoredEvent } from "../../src/store/index.ts";
import { fanOut, launchSaved, type Manifest, ORG, type Replica, saveDefinition } from "./support/governed.ts";
import { type DatabaseParts, type GovernedDatabase, openGovernedDatabase } from "./support/governed-database.ts";
import { waitFor } from "./support/waiting.ts";

const EMBEDDED = ["the embedded database", { kind: "embedded", replicas: 1 }] as const;
const POSTGRES = ["two replicas on one Postgres", { kind: "postgres", replicas: 2 }] as const;

const agent = (spec: object): Manifest => ["Agent", "default", { trust_level: 5, ...spec }];
const scripted =
  (nodes: object): DatabaseParts["adapter"] =>
  (clock) =>
    createScriptedAdapter({ script: readScript(JSON.stringify({ default: "echo", nodes })).script, clock });

let database: GovernedDatabase;
afterEach(() => database.close());

type Place = readonly [string, Pick<DatabaseParts, "kind" | "replicas">];

async function open([, place]: Place, manifests: readonly Manifest[], nodes: object = {}): Promise<void> {
  database = await openGovernedDatabase({ ...place, manifests, adapter: scripted(nodes) });
}

/** So many runs at once, the replicas in turn. */
async function launchAll(count: number, source: string): Promise<readonly string[]> {
  // Once: two connections that save it 500 times would keep a slow machine busy for longer than one may be waited for.
  await saveDefinition(database.store, source);
  const one = (_: unknown, index: number): Promise<string> => launchSaved(replicaOf(index).driver, source);
  return Promise.all(Array.from({ length: count }, one));
}

function replicaOf(index: number): Replica {
  const replica = database.replicas[index % database.replicas.length];
  if (replica === undefined) throw new Error("there is no replica");
  return replica;
}

function allEnded(): Promise<void> {
  return waitFor("all runs to end", async () => {
    const { data } = await database.store.listRuns(ORG, { status: "running" }, { limit: 1, cursor: null });
    return data.length === 0;
  });
}

function logOf(runId: string): Promise<readonly StoredEvent[]> {
  return database.store.readEvents(ORG, runId, 0, 10_000);
}

async function startsOf(runs: readonly string[]): Promise<readonly number[]> {
  const logs = await Promise.all(runs.map(logOf));
  return logs.flatMap((log) => log.filter(({ type }) => type === "node.started").map(({ at }) => at));
}

async function expectExactBooks(): Promise<void> {
  expect(database.findings).toEqual([]);
  expect(database.troubles).toEqual([]);
  expect(await database.store.recount()).toEqual([]);
  const { agents, envelopes } = await database.store.readCounters(ORG, 0);
  expect(agents.filter((one) => one.open !== 0)).toEqual([]);
  expect(envelopes.filter(({ reserved }) => reserved !== 0)).toEqual([]);
}

describe("admissions", () => {
  it.each([EMBEDDED, POSTGRES])("on %s 500 at once against a budget for 5 let exactly 5 through", async (...place) => {
    await open(
      place,
      [agent({ max_concurrent: 1_000 }), ["Budget", "cap", { scope: "global", period: "monthly", amount_usd: 0.05 }]],
      { n0: { delay_ms: 150, cost_usd: 0.01 } },
    );
    const runs = await launchAll(500, fanOut(1, { estimated_cost: 0.01 }));
    await allEnded();
    expect(await startsOf(runs)).toHaveLength(5);
    const { envelopes } = await database.store.readCounters(ORG, 0);
    expect(envelopes).toMatchObject([{ envelopeId: "cap", spent: 50_000, reserved: 0 }]);
    const statuses = await Promise.all(runs.map(async (runId) => (await database.store.getRun(ORG, runId))?.status));
    expect(statuses.filter((status) => status === "completed")).toHaveLength(5);
    const { data: verdicts } = await database.store.listVerdicts(ORG, 0, { limit: 2_000, cursor: null });
    expect(verdicts.filter(({ disposition }) => disposition === "allow")).toHaveLength(5);
    expect(verdicts.filter(({ code }) => code === "budget_exceeded")).toHaveLength(495);
    await expectExactBooks();
  });

  it.each([EMBEDDED, POSTGRES])("on %s keep the bound of a role, beside work that has none", async (...place) => {
    const role = { role: "writer", agent: "default", max_spend_usd: 0.05 };
    await open(place, [agent({ max_concurrent: 1_000 }), ["RoleBinding", "bound", role]], {
      n0: { delay_ms: 150, cost_usd: 0.01 },
      free: { delay_ms: 20, cost_usd: 0 },
    });
    const free = JSON.stringify({ name: "w", steps: [{ id: "free", command: "go", estimated_cost: 0.000_001 }] });
    const [runs] = await Promise.all([
      launchAll(100, fanOut(1, { role: "writer", estimated_cost: 0.01 })),
      launchAll(40, free),
    ]);
    await allEnded();
    const started = await startsOf(runs);
    // What is reserved outside the role for a moment may keep the fifth out, and never lets a sixth in.
    expect([4, 5]).toContain(started.length);
    const { envelopes } = await database.store.readCounters(ORG, 0);
    expect(envelopes).toMatchObject([
      { envelopeId: "agent/default/monthly", spent: started.length * 10_000, reserved: 0 },
    ]);
    await expectExactBooks();
  });

  it.each([EMBEDDED, POSTGRES])(
    "on %s leave money exact through retries, timeouts, cancels and results that come too late",
    async (...place) => {
      await open(
        place,
        [agent({ max_concurrent: 4 }), ["Budget", "cap", { scope: "global", period: "monthly", amount_usd: 0.02 }]],
        {
          n0: [
            { fail: "provider_error", cost_usd: 0.000_1 },
            { delay_ms: 30, cost_usd: 0.000_2 },
          ],
          n1: { delay_ms: 30_000, cost_usd: 0.000_3 },
          n2: { delay_ms: 60, cost_usd: 0.000_7 },
          n3: { delay_ms: 20, cost_usd: 0.000_05 },
        },
      );
      const retry = { attempts: 2, backoff_ms: 0, max_backoff_ms: 10 };
      const step = { estimated_cost: 0.000_2, timeout: 1, on_failure: "retry", retry };
      const runs = await launchAll(12, fanOut(4, step));
      const cancelled = runs.slice(0, 4);
      const cancel = { type: "cancel", reason: "enough" } as const;
      await Promise.all(cancelled.map((runId, index) => replicaOf(index).driver.submit(ORG, runId, cancel)));
      await allEnded();
      await expectExactBooks();
      expect(database.commits).toBeGreaterThan(20);
    },
  );
});

describe("on two replicas of one Postgres", () => {
  it("an agent with 3 slots never has 4 attempts open, at any commit", async () => {
    await open(POSTGRES, [agent({ max_concurrent: 3 })], { n0: { delay_ms: 15 }, n1: { delay_ms: 25 } });
    const runs = await launchAll(30, fanOut(2));
    await allEnded();
    // In snapshots of the database: what events say of their time is when they were decided, each by its own replica.
    expect(database.mostOpen.get("default")).toBe(3);
    const logs = await Promise.all(runs.map(logOf));
    expect(logs.flat().filter(({ type }) => type === "node.failed")).toEqual([]);
    await expectExactBooks();
  });

  it("a rate of 10 per second never lets 11 into any window", async () => {
    await open(POSTGRES, [agent({ max_concurrent: 100, rate_limit: { count: 10, per_seconds: 1 } })]);
    const runs = await launchAll(2, fanOut(16));
    await allEnded();
    const starts = await startsOf(runs);
    expect(starts).toHaveLength(32);
    for (const end of starts)
      expect(starts.filter((at) => at > end - 1_000 && at <= end).length).toBeLessThanOrEqual(10);
    await expectExactBooks();
  });

  it("a fan-out wider than its agent has slots ends without a failure", async () => {
    await open(POSTGRES, [agent({ max_concurrent: 5 })], {});
    const [runId = ""] = await launchAll(1, fanOut(60));
    await allEnded();
    expect((await database.store.getRun(ORG, runId))?.status).toBe("completed");
    expect(database.mostOpen.get("default")).toBeLessThanOrEqual(5);
    await expectExactBooks();
  });
});
