import { describe, expect, it } from "vitest";
import { NOTHING_ELSE } from "../../test/conformance/plain.ts";
import { policyFrom } from "../../test/governance/policy-from.ts";
import type { JsonObject } from "../core/base/index.ts";
import { type DispatchFacts, factsText, type Policy } from "../core/governance/index.ts";
import { DEFAULT_AGENT } from "../registry/index.ts";
import type { Listed, Page, RunVerdict } from "../store/index.ts";
import { BACKTEST_VERDICTS_MAX, backtestPolicy } from "./backtest.ts";

const facts = (id: string): DispatchFacts => ({
  at: 1_000,
  platform: { isOpen: true, reason: null },
  gateway: { id: "local", status: "healthy", environment: null, minTrustLevel: 1 },
  noGateway: null,
  agentId: "default",
  agent: DEFAULT_AGENT,
  role: null,
  ...NOTHING_ELSE,
  estimateMicros: 0,
  turns: "opaque",
  node: {
    id,
    kind: "agent",
    action: "read",
    phase: null,
    provider: null,
    model: null,
    tools: [],
    contextSources: [],
  },
  run: { runId: "run_1", workflow: "w", depth: 0, environment: null, args: {} },
});

const draft = (): Policy => policyFrom("d", { category: "guardrail", condition: "node.id == 'n0'", action: "block" });

/** A store with so many verdicts, every tenth of which is about `n0`. */
function storeOf(count: number, spoiled = 0) {
  const kept = Array.from({ length: count }, (_, index): RunVerdict => ({
    verdictId: `v${index}`,
    runId: "run_1",
    nodeId: `n${index % 10}`,
    attempt: 1,
    at: 1_000,
    disposition: "allow",
    gate: null,
    code: null,
    body: { facts: index < spoiled ? { format: 99 } : (JSON.parse(factsText(facts(`n${index % 10}`))) as JsonObject) },
  }));
  return {
    listVerdicts: async (_org: string, _since: number, { limit, cursor }: Page): Promise<Listed<RunVerdict>> => {
      const from = Number(cursor ?? 0);
      const data = kept.slice(from, from + limit);
      return { data, nextCursor: from + limit < kept.length ? String(from + limit) : null };
    },
  };
}

describe("a draft on stored verdicts", () => {
  it.each([0, 1, 249, 250, 251, 600])("is the same in slices as at once (%i)", async (count) => {
    const found = await backtestPolicy(storeOf(count), "org", draft(), 0);
    const changed = Math.ceil(count / 10);
    expect(found).toMatchObject({ looked: count, matched: changed, changed, unreadable: 0, isLimited: false });
    expect(found.counts.reduce((sum, pair) => sum + pair.count, 0)).toBe(count);
    expect(found.examples.map(({ id }) => id)).toEqual(
      Array.from({ length: Math.min(20, changed) }, (_, index) => `v${index * 10}`),
    );
  });

  it.each([
    [BACKTEST_VERDICTS_MAX - 1, false],
    [BACKTEST_VERDICTS_MAX, false],
    [BACKTEST_VERDICTS_MAX + 1, true],
  ])("looks at no more than its limit (%i)", async (count, isLimited) => {
    const found = await backtestPolicy(storeOf(count), "org", draft(), 0);
    expect(found).toMatchObject({ looked: Math.min(count, BACKTEST_VERDICTS_MAX), isLimited });
  });

  it("counts what it cannot read", async () => {
    expect(await backtestPolicy(storeOf(10, 3), "org", draft(), 0)).toMatchObject({ looked: 7, unreadable: 3 });
  });
});
