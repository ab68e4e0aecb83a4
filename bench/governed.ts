/** What the benchmarks are governed by: an agent with room, a ceiling that holds, and policies that must be looked at. */
import type { Json } from "../src/core/base/index.ts";
import { readSpec } from "../src/registry/index.ts";
import type { EntryKind, Store } from "../src/store/index.ts";
import { ORG } from "./runtime.ts";

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
