/** What the benchmarks are governed by: an agent with room, a ceiling that holds, and policies that must be looked at. */
import type { Adapter } from "../src/adapter/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import type { Json } from "../src/core/base/index.ts";
import type { DurableDriver } from "../src/driver/index.ts";
import { openGateways } from "../src/gateway/index.ts";
import { openGovernance, type OpenedGovernance } from "../src/governance/index.ts";
import { readSpec } from "../src/registry/index.ts";
import type { EntryKind, Sql, Store } from "../src/store/index.ts";
import {
  createBenchDriver,
  DIAMOND,
  measureDiamonds,
  measureShapes,
  onTrouble,
  ORG,
  prepare,
  type RuntimePlan,
  type ShapeFigure,
} from "./runtime.ts";
import { measureStorage, type StorageFigure } from "./storage.ts";

const ENTRIES: readonly (readonly [Parameters<typeof readSpec>[0], EntryKind, string, Json])[] = [
  ["Agent", "agent", "default", { trust_level: 5, max_concurrent: 5_000, budget_monthly_usd: 1_000_000 }],
  ["Budget", "budget", "everything", { scope: "global", period: "monthly", amount_usd: 1_000_000 }],
  [
    "Policy",
    "policy",
    "no-untrusted-money",
    {
      category: "guardrail",
      scope: "global",
      condition: "node.action == 'financial' and agent.trustLevel < 8",
      action: "block",
      enforcement: "hard",
    },
  ],
  [
    "Policy",
    "policy",
    "watch-depth",
    { category: "guardrail", scope: "global", condition: "run.depth > 3", action: "warn", enforcement: "soft" },
  ],
];

export async function govern(store: Store): Promise<void> {
  await store.ensureOrganisation(ORG);
  for (const [kind, entryKind, name, spec] of ENTRIES) {
    const reading = readSpec(kind, name, spec);
    if (!reading.ok) throw new Error(`the benchmark's ${kind} is wrong: ${JSON.stringify(reading.problems)}`);
    await store.putEntry(ORG, entryKind, name, reading.body, 0);
  }
}

export interface GovernedFigure {
  readonly completionsPerSecond: number;
  readonly idleDiamondMs: number;
  /** Empty where only the rate is measured. */
  readonly shapes: readonly ShapeFigure[];
  readonly storage: StorageFigure | null;
}

export interface Governed {
  readonly driver: DurableDriver;
  readonly governance: OpenedGovernance;
  readonly gateways: Awaited<ReturnType<typeof openGateways>>;
  readonly close: () => Promise<void>;
}

/** A driver of this process behind all gates, with the ledger, verdicts and audit. */
export async function openGoverned(store: Store, adapter: Adapter | null = null): Promise<Governed> {
  await govern(store);
  const clock = createSystemClock();
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const gateways = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const { directory } = gateways;
  const governance = openGovernance({ store, directory, clock, isAlone: true, startRate: null, onTrouble });
  const driver = createBenchDriver(store, governance.governor, adapter);
  governance.start();
  await driver.start();
  return {
    driver,
    governance,
    gateways,
    async close() {
      await driver.stop();
      governance.stop();
    },
  };
}

/** Node completions per second of diamonds, in one round. */
export async function measureGovernedRate(store: Store, diamonds: number): Promise<number> {
  const { driver, close } = await openGoverned(store);
  try {
    const { completionsPerSecond } = await measureDiamonds(store, driver, { diamonds, rounds: 1, idleRuns: 0 });
    return completionsPerSecond;
  } finally {
    await close();
  }
}

/** `sql`: for a database that reports its storage, where sizes are compared; otherwise null. */
export async function measureGoverned(store: Store, sql: Sql | null, plan: RuntimePlan): Promise<GovernedFigure> {
  const { driver, close } = await openGoverned(store);
  try {
    const diamonds = await measureDiamonds(store, driver, plan);
    if (sql === null) return { ...diamonds, shapes: [], storage: null };
    const shapes = await measureShapes(store, driver, { chains: plan.growth, fanOuts: plan.growth });
    const storage = await measureStorage(sql, driver, await prepare(store, driver, DIAMOND));
    return { ...diamonds, shapes, storage };
  } finally {
    await close();
  }
}
