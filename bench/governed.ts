/** What the benchmarks are governed by: an agent with room, a ceiling that holds, and policies that must be looked at. */
import { createSystemClock } from "../src/clock/index.ts";
import type { Json } from "../src/core/base/index.ts";
import { openGateways } from "../src/gateway/index.ts";
import { openGovernance } from "../src/governance/index.ts";
import { readSpec } from "../src/registry/index.ts";
import type { EntryKind, Sql, Store } from "../src/store/index.ts";
import {
  createBenchDriver,
  onTrouble,
  DIAMOND,
  DIAMOND_NODES,
  measureThroughput,
  median,
  ORG,
  prepare,
  type RuntimePlan,
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
  readonly storage: StorageFigure | null;
}

const CONCURRENT = 200;

/** The runtime with all gates, the ledger, verdicts and audit. */
export async function measureGoverned(store: Store, sql: Sql | null, plan: RuntimePlan): Promise<GovernedFigure> {
  await govern(store);
  const clock = createSystemClock();
  const local = { providers: ["scripted"], defaultProvider: "scripted", answersAny: true };
  const { directory } = await openGateways({ store, clock, secretKey: null, local, onTrouble });
  const governance = openGovernance({ store, directory, clock, isAlone: true, startRate: null, onTrouble });
  const driver = createBenchDriver(store, governance.governor);
  governance.start();
  await driver.start();
  try {
    const diamond = await prepare(store, driver, DIAMOND);
    await measureThroughput(diamond, DIAMOND_NODES, CONCURRENT, CONCURRENT);
    const rates: number[] = [];
    for (let round = 0; round < plan.rounds; round += 1) {
      rates.push(await measureThroughput(diamond, DIAMOND_NODES, CONCURRENT, plan.diamonds));
    }
    const storage = sql === null ? null : await measureStorage(sql, driver, diamond);
    return { completionsPerSecond: median(rates), storage };
  } finally {
    await driver.stop();
    governance.stop();
  }
}
