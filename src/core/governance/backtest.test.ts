import { describe, expect, it } from "vitest";
import { backtest, type RecordedVerdict } from "./backtest.ts";
import type { DispatchFacts } from "./facts.ts";
import { factsOf, policyOf } from "./sample.test.ts";

const past = (
  id: string,
  changes: Partial<Pick<RecordedVerdict, "disposition" | "isContradiction">> = {},
  facts: DispatchFacts = factsOf(),
): RecordedVerdict => ({
  id,
  facts,
  disposition: "allow",
  ...changes,
});

describe("trying a draft policy on what was decided", () => {
  it("takes the place of every earlier version of it", () => {
    const strict = factsOf({
      policies: [policyOf({ name: "rule", version: 1 }), policyOf({ name: "other", action: "warn" })],
    });
    const draft = policyOf({ name: "rule", version: 2, when: "false" });
    const tried = backtest(draft, [past("a", { disposition: "block" }, strict)]);
    expect(tried.outcomes).toEqual([{ id: "a", before: "block", after: "allow", isMatch: false, isUncertain: false }]);
    expect(tried).toMatchObject({ looked: 1, matched: 0, changed: 1 });
    expect(tried.examples).toMatchObject([{ id: "a", gate: null, message: null, nodeId: "assess", runId: "run_1" }]);
  });

  it("leaves every other policy in force", () => {
    const facts = factsOf({ policies: [policyOf({ name: "other" })] });
    const tried = backtest(policyOf({ name: "rule", when: "false" }), [past("a", { disposition: "block" }, facts)]);
    expect(tried.outcomes).toMatchObject([{ before: "block", after: "block" }]);
  });

  it("takes the person who granted an earlier version to have granted this one, and no other person", () => {
    const draft = policyOf({ name: "ask", version: 2, action: "require_approval" });
    const after = (grants: readonly string[]) =>
      backtest(draft, [past("a", {}, factsOf({ grants }))]).outcomes.map((outcome) => outcome.after);
    expect(after(["ask@1"])).toEqual(["allow"]);
    expect(after(["other@1", "rung"])).toEqual(["hold"]);
  });

  it("lets what was refused for its instructions be refused as before", () => {
    const verdict = past("a", { disposition: "block", isContradiction: true });
    expect(backtest(policyOf({ when: "false" }), [verdict])).toMatchObject({
      changed: 0,
      outcomes: [{ after: "block" }],
    });
    const held = backtest(policyOf({ action: "require_approval" }), [verdict]);
    expect(held.outcomes).toMatchObject([{ before: "block", after: "hold" }]);
  });

  it("counts each change, says what would decide, and shows the first twenty", () => {
    const verdicts = [
      ...Array.from({ length: 21 }, (_, index) => past(`v${index}`)),
      past("asked", { disposition: "hold" }),
      past("other", {}, factsOf({ agentId: "other" })),
    ];
    const tried = backtest(policyOf({ when: "agent.id == 'analyst'", scope: "agent", scopeId: "analyst" }), verdicts);
    expect(tried.counts).toEqual([
      { before: "allow", after: "block", count: 21 },
      { before: "hold", after: "block", count: 1 },
      { before: "allow", after: "allow", count: 1 },
    ]);
    expect(tried).toMatchObject({ looked: 23, matched: 22, changed: 22, uncertain: 0 });
    expect(tried.examples).toHaveLength(20);
    expect(tried.examples[0]).toMatchObject({
      id: "v0",
      gate: "policy_rules",
      message: "policy rule@1 blocks assess",
      agentId: "analyst",
    });
  });

  it("is uncertain where it reads args of which some were not kept", () => {
    const facts = factsOf();
    const cut = { ...facts, run: { ...facts.run, argsLeftOut: ["big"] } };
    const uncertain = (when: string, of: DispatchFacts) => backtest(policyOf({ when }), [past("a", {}, of)]).uncertain;
    expect(uncertain("run.args.x == 1", cut)).toBe(1);
    expect(uncertain("agent.trustLevel > 1 && run.args.x == 1", cut)).toBe(1);
    expect(uncertain("agent.trustLevel > 1", cut)).toBe(0);
    expect(uncertain("run.args.x == 1", facts)).toBe(0);
  });
});
