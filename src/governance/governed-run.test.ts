import { describe, expect, it } from "vitest";
import {
  launch as launchOn,
  type Manifest,
  openReplica,
  ORG,
  register,
} from "../../test/integration/support/governed.ts";
import { createScriptedAdapter, readScript } from "../adapters/index.ts";
import { createVirtualClock, type VirtualClock } from "../clock/index.ts";
import type { DurableDriver } from "../driver/index.ts";
import { readSpec } from "../registry/index.ts";
import { createMemoryStore, type Store, type UsageRecord } from "../store/index.ts";

interface Machine {
  readonly driver: DurableDriver;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly troubles: readonly string[];
  readonly workflow?: string;
}

async function machine(manifests: readonly Manifest[], script: string, store?: Store, clock?: VirtualClock) {
  const time = clock ?? createVirtualClock(Date.UTC(2026, 10, 15, 12));
  const kept = store ?? createMemoryStore({ now: () => time.now() });
  const troubles: string[] = [];
  await register(kept, manifests, time.now());
  const read = readScript(script);
  if (read.script === null) throw new Error("the script is wrong");
  const adapter = createScriptedAdapter({ script: read.script, clock: time });
  const { driver } = await openReplica({ store: kept, clock: time, adapter, isAlone: store === undefined, troubles });
  return { driver, clock: time, store: kept, troubles } satisfies Machine;
}

const launch = ({ driver, store, workflow = "w" }: Machine, source: string): Promise<string> =>
  launchOn(driver, store, source, { workflow });

/** Lets virtual time pass until an event of one of these types is committed. */
async function seen({ driver, clock }: Machine, types: readonly string[]): Promise<void> {
  let isSeen = false;
  const stop = driver.onCommitted((_, events) => {
    isSeen ||= events.some(({ type }) => types.includes(type));
  });
  await clock.run(() => isSeen);
  stop();
}

const ENDS = ["run.completed", "run.failed", "run.cancelled", "run.timed_out"];

async function ended(machine: Machine, runId: string): Promise<string> {
  if ((await machine.store.getRun(ORG, runId))?.status === "running") await seen(machine, ENDS);
  return (await machine.store.getRun(ORG, runId))?.status ?? "gone";
}

const fanOut = (width: number, more = ""): string =>
  `name: w\nmax_parallel: 1000\nsteps:\n${Array.from(
    { length: width },
    (_, index) => `  - { id: n${index}, command: go${more} }`,
  ).join("\n")}\n`;

/** How many attempts were open at once, by the log alone. */
async function mostOpen({ store }: Machine, runId: string): Promise<number> {
  let open = 0;
  let most = 0;
  for (const { type } of await store.readEvents(ORG, runId, 0, 10_000)) {
    if (type === "node.started") most = Math.max(most, (open += 1));
    if (type === "node.completed" || type === "node.failed") open -= 1;
  }
  return most;
}

describe("the subject of a step's own gate", () => {
  it.each([
    ["the agent it names", "agent: scribe", { id: "scribe", trust: 4 }, ["process", "small"]],
    ["the one its role is bound to", "role: writer", { id: "scribe", trust: 4 }, ["process", "small"]],
    [
      "the agent, and the receiver its step names",
      "agent: scribe, provider: http",
      { id: "scribe" },
      ["http", "small"],
    ],
    ["the default one", "tools: []", { id: "default", trust: 2 }, [null, null]],
  ])("names %s, its trust at that moment, and what would receive the request", async (_, who, agent, receiver) => {
    const asked = await machine(
      [
        ["Agent", "default", { trust_level: 2 }],
        ["Agent", "scribe", { trust_level: 4, provider: "process", model: "small" }],
      ],
      "default: echo\n",
    );
    const source = `name: w\nroles: {writer: {agent: scribe}}\nsteps:\n  - {id: a, command: go, approval: required, ${who}}\n`;
    const runId = await launch(asked, source);
    const events = await asked.store.readEvents(ORG, runId, 0, 100);
    const [provider, model] = receiver;
    expect(events.find(({ type }) => type === "approval.requested")?.payload).toMatchObject({
      subject: { agent, request: { provider, model } },
    });
  });
});

describe("a run under limits", () => {
  it("with more ready nodes than its agent has slots queues, and none fails", async () => {
    const limited = await machine(
      [["Agent", "default", { trust_level: 5, max_concurrent: 5 }]],
      "default: echo\nnodes: {}\n",
    );
    const runId = await launch(limited, fanOut(60));
    expect(await ended(limited, runId)).toBe("completed");
    expect(await mostOpen(limited, runId)).toBeLessThanOrEqual(5);
    expect((await limited.store.readCounters(ORG, 0)).agents).toEqual([{ agentId: "default", open: 0, hits: [] }]);
    expect(limited.troubles).toEqual([]);
  });

  it.each([
    [4, 14],
    [300, 700],
  ])("never lets more into any window than the %i its agent may dispatch", async (count, nodes) => {
    const limited = await machine(
      [["Agent", "default", { max_concurrent: 500, rate_limit: { count, per_seconds: 1 } }]],
      "default: echo\n",
    );
    const runId = await launch(limited, fanOut(nodes));
    expect(await ended(limited, runId)).toBe("completed");
    const starts = (await limited.store.readEvents(ORG, runId, 0, 10_000))
      .filter(({ type }) => type === "node.started")
      .map(({ at }) => at);
    for (const at of starts) {
      expect(starts.filter((other) => other > at - 1_000 && other <= at).length).toBeLessThanOrEqual(count);
    }
    expect(starts).toHaveLength(nodes);
  });

  it("stops where its money does, and the ledger adds up", async () => {
    const limited = await machine(
      [["Budget", "cap", { scope: "global", period: "daily", amount_usd: 0.05 }]],
      "default: echo\nnodes:\n" +
        Array.from({ length: 10 }, (_, index) => `  n${index}: { stdout: x, cost_usd: 0.01 }`).join("\n"),
    );
    const runId = await launch(limited, fanOut(10, ", estimated_cost: 0.01, on_failure: skip"));
    expect(await ended(limited, runId)).toBe("completed");
    const { envelopes } = await limited.store.readCounters(ORG, 0);
    expect(envelopes).toMatchObject([{ envelopeId: "cap", spent: 50_000, reserved: 0 }]);
    const usage = await limited.store.usage(ORG, { bucket: "month", by: "agent", since: 0, until: 9e15 });
    expect(usage).toMatchObject([{ group: "default", count: 5, costMicros: 50_000 }]);
    expect((await limited.store.getRun(ORG, runId))?.costMicros).toBe(50_000);
    const alerts: string[] = [];
    const look = async (): Promise<void> => {
      await limited.store.seal(ORG, 1_000, (head, pending) => {
        alerts.push(...pending.flatMap(({ entries }) => JSON.stringify(entries).match(/"budget\.\w+"/g) ?? []));
        return { head, records: [], segments: [] };
      });
    };
    const later = limited.clock.now() + 5_000;
    await limited.clock.run(() => limited.clock.now() > later);
    await look();
    expect(alerts).toEqual(['"budget.alert"', '"budget.alert"']);
    const verdicts = await limited.store.verdictsOf(ORG, runId);
    expect(verdicts.filter(({ code }) => code === "budget_exceeded")).toHaveLength(5);
    expect(verdicts.filter(({ disposition }) => disposition === "allow")).toHaveLength(5);
  });

  describe("whose money pauses it", () => {
    const cap = (amount: number) => ({ scope: "global", period: "daily", amount_usd: amount, on_exhausted: "pause" });
    const script = "default: echo\nnodes:\n  n0: { stdout: x, cost_usd: 0.01 }\n  n1: { stdout: x, cost_usd: 0.01 }\n";
    const noon = Date.UTC(2026, 10, 15, 12);
    const midnight = Date.UTC(2026, 10, 16);
    const late = midnight - 1_200_000;
    const pausing = (amount: number) =>
      machine([["Budget", "cap", cap(amount)]], script, undefined, createVirtualClock(late));
    const source = fanOut(2, ", estimated_cost: 0.01");

    it("waits for the next period, however long that is, and continues then", async () => {
      const limited = await pausing(0.01);
      const runId = await launch(limited, source);
      await seen(limited, ["node.completed"]);
      expect(await limited.store.listStalled(10)).toEqual([]);
      const [loaded] = await limited.store.loadRuns([runId]);
      expect(loaded?.timers).toMatchObject([{ kind: "queue" }]);
      const waiting = (await limited.store.readEvents(ORG, runId, 0, 100)).find(({ type }) => type === "node.waiting");
      expect(waiting?.payload).toMatchObject({
        waitingReason: "queued",
        code: "budget_exceeded",
        until: midnight,
        isPatient: true,
      });
      expect(limited.clock.now()).toBeLessThan(late + 60_000);
      expect(await ended(limited, runId)).toBe("completed");
      expect(limited.clock.now()).toBeGreaterThanOrEqual(midnight);
      expect(limited.clock.now()).toBeLessThan(midnight + 2_000);
      const { envelopes } = await limited.store.readCounters(ORG, 0);
      expect(envelopes.map(({ spent, reserved }) => [spent, reserved])).toEqual([
        [10_000, 0],
        [10_000, 0],
      ]);
      const verdicts = await limited.store.verdictsOf(ORG, runId);
      expect(verdicts.filter(({ code }) => code === "budget_exceeded")).toHaveLength(1);
      expect(limited.troubles).toEqual([]);
    });

    it("continues within seconds of a higher ceiling, in another process too", async () => {
      const limited = await pausing(0.01);
      const runId = await launch(limited, source);
      await seen(limited, ["node.completed"]);
      const rival = await machine([], script, limited.store, limited.clock);
      const since = limited.clock.now();
      await limited.clock.run(() => limited.clock.now() > since + 610_000);
      const raised = readSpec("Budget", "cap", cap(0.02));
      if (!raised.ok) throw new Error("the budget is wrong");
      await limited.store.putEntry(ORG, "budget", "cap", raised.body, limited.clock.now());
      const raisedAt = limited.clock.now();
      const over = [limited, rival].map((one) => seen(one, ENDS));
      await Promise.race(over);
      expect((await limited.store.getRun(ORG, runId))?.status).toBe("completed");
      expect(limited.clock.now() - raisedAt).toBeLessThan(5_000);
      expect([...limited.troubles, ...rival.troubles]).toEqual([]);
    });

    it("continues when another has given back what it had reserved", async () => {
      const limited = await machine(
        [["Budget", "cap", cap(0.015)]],
        "default: echo\nnodes:\n  n0: { stdout: x, cost_usd: 0.001, delay_ms: 30000 }\n",
      );
      const runId = await launch(limited, source);
      expect(await ended(limited, runId)).toBe("completed");
      const types = (await limited.store.readEvents(ORG, runId, 0, 100)).map(({ type }) => type);
      expect(types.filter((type) => type === "node.waiting")).toHaveLength(1);
      expect(limited.clock.now()).toBeLessThan(noon + 60_000);
    });

    it("lets those of other budgets pass by, although they come to the same agent", async () => {
      const limited = await machine(
        [
          ["Budget", "cap", { ...cap(0.01), scope: "workflow", scope_id: "w" }],
          ["Agent", "default", { trust_level: 5, max_concurrent: 2 }],
        ],
        "default: echo\n",
      );
      await launch(limited, fanOut(5, ", estimated_cost: 1"));
      const other = await launch({ ...limited, workflow: "other" }, fanOut(2));
      expect(await ended(limited, other)).toBe("completed");
      expect(limited.clock.now()).toBeLessThan(noon + 5_000);
    });
  });

  it("spends a budget by the price it was reserved by, until the budget is used up", async () => {
    const limited = await machine(
      [
        [
          "Model",
          "own:m1",
          { provider: "own", input_usd_per_mtok: 1_000, output_usd_per_mtok: 2_000, max_output_tokens: 100 },
        ],
        ["Budget", "all", { scope: "global", period: "monthly", amount_usd: 1 }],
      ],
      "default: echo\nnodes:\n  a: { stdout: x, tokens: { input: 100, output: 100 } }\n",
    );
    const source = "name: w\nsteps:\n  - { id: a, command: go, model: 'own:m1' }\n";
    const ends: (string | undefined)[] = [];
    for (let index = 0; index < 5; index += 1) ends.push(await ended(limited, await launch(limited, source)));
    // Each costs $0.30, and may cost a little more.
    expect(ends).toEqual(["completed", "completed", "completed", "failed", "failed"]);
  });

  it("books its cost under the price it was made with", async () => {
    const clock = createVirtualClock(Date.UTC(2026, 10, 15, 12));
    const kept = createMemoryStore({ now: () => clock.now() });
    const booked: UsageRecord[] = [];
    const store: Store = {
      ...kept,
      commit: (batch) => {
        booked.push(...batch.flatMap(({ usage }) => usage));
        return kept.commit(batch);
      },
    };
    const priced = await machine(
      [["Model", "own:m1", { provider: "own", input_usd_per_mtok: 1, output_usd_per_mtok: 2 }]],
      "default: echo\nnodes:\n  a: { stdout: x, tokens: { input: 1000000, output: 1000000 } }\n  b: { stdout: x, cost_usd: 0.02 }\n",
      store,
      clock,
    );
    const source = "name: w\nsteps:\n  - { id: a, command: go, model: 'own:m1' }\n  - { id: b, command: go }\n";
    expect(await ended(priced, await launch(priced, source))).toBe("completed");
    expect(booked.map(({ nodeId, priceId, costMicros }) => [nodeId, priceId, costMicros])).toEqual(
      expect.arrayContaining([
        ["a", "own:m1", 3_000_000],
        ["b", "reported", 20_000],
      ]),
    );
  });

  it("is held by a policy, and continues once a person has approved", async () => {
    const policy = {
      category: "guardrail",
      scope: "global",
      condition: "node.id == 'publish'",
      action: "require_approval",
      enforcement: "hard",
      reason: "people publish",
    };
    const held = await machine([["Policy", "ask-first", policy]], "default: echo\n");
    const source =
      "name: w\nsteps:\n  - { id: draft, command: go }\n  - { id: publish, command: 'go ${draft.stdout}' }\n";
    const runId = await launch(held, source);
    await seen(held, ["approval.requested"]);
    const [approval] = (await held.store.listApprovals(ORG, "pending", { limit: 10, cursor: null })).data;
    expect(approval).toMatchObject({ nodeId: "publish", source: "policy" });
    const input = { type: "approval", approvalId: approval?.id ?? "", decision: "approve", by: "key_1" } as const;
    await held.driver.submit(ORG, runId, input);
    expect(await ended(held, runId)).toBe("completed");
    const verdicts = await held.store.verdictsOf(ORG, runId);
    expect(verdicts.map(({ nodeId, disposition }) => `${nodeId} ${disposition}`)).toEqual([
      "draft allow",
      "publish hold",
      "publish allow",
    ]);
  });
});
