import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, type Json } from "../base/index.ts";
import type { DispatchFacts, EnvelopeFact } from "./facts.ts";
import { DISPATCH_GATES, judgeDispatch } from "./judge.ts";
import { policyKey } from "./policy.ts";
import { anyFacts, anyFactsWith, anyPolicyOf } from "./sample.test.ts";

const RUNS = { numRuns: 300 };

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

function plain(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

function gateOf(facts: DispatchFacts): string | null {
  const judgement = judgeDispatch(facts);
  return judgement.disposition === "allow" ? null : judgement.explanation.gate;
}

describe("judging a dispatch", () => {
  it("is total, changes nothing and says the same twice", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const before = plain(facts);
        const judgement = judgeDispatch(frozen(facts));
        expect(plain(judgeDispatch(facts))).toBe(plain(judgement));
        expect(plain(facts)).toBe(before);
      }),
      RUNS,
    );
  });

  it("reports the first gate that does not pass, and evaluates none after it", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const first = facts.platform.isOpen
          ? (DISPATCH_GATES.find((gate) => gate.evaluate(facts).kind !== "pass")?.name ?? null)
          : "platform_open";
        expect(gateOf(facts)).toBe(first);
        const { trail } = judgeDispatch(facts);
        const stop = trail.findIndex(({ outcome }) => outcome === "block" || outcome === "hold");
        expect(trail.every(({ outcome }, at) => (outcome === "not_evaluated") === (stop !== -1 && at > stop))).toBe(
          true,
        );
      }),
      RUNS,
    );
  });

  it("holds only at the last gate", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const judgement = judgeDispatch(facts);
        if (judgement.disposition !== "hold") return;
        expect(judgement.gate).toBe("approval_required");
        expect(judgement.hold.wanted.length).toBeGreaterThan(0);
        expect(judgement.hold.wanted.some((name) => facts.grants.includes(name))).toBe(false);
      }),
      RUNS,
    );
  });

  it("is not changed by policies that are not enforced", () => {
    fc.assert(
      fc.property(anyFacts, fc.array(anyPolicyOf(), { maxLength: 4 }), fc.boolean(), (facts, more, isFirst) => {
        const soft = more.map(
          (policy) => ({ ...policy, enforcement: policy.version === 1 ? "audit" : "soft" }) as const,
        );
        const policies = isFirst ? [...soft, ...facts.policies] : [...facts.policies, ...soft];
        const judgement = judgeDispatch({ ...facts, policies });
        expect(judgement.disposition).toBe(judgeDispatch(facts).disposition);
        expect(gateOf({ ...facts, policies })).toBe(gateOf(facts));
      }),
      RUNS,
    );
  });

  it("lets through what was held once everything wanted is granted", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const judgement = judgeDispatch(facts);
        if (judgement.disposition !== "hold") return;
        const grants = [...facts.grants, ...judgement.hold.wanted];
        expect(judgeDispatch({ ...facts, grants }).disposition).toBe("allow");
      }),
      RUNS,
    );
  });

  it("never becomes stricter by a grant, and a grant opens nothing but approval_required", () => {
    fc.assert(
      fc.property(anyFacts, fc.subarray(["a@1", "a@3", "b@2", "rung", "two_agents", "x"]), (facts, more) => {
        const before = judgeDispatch(facts).disposition;
        const after = judgeDispatch({ ...facts, grants: [...facts.grants, ...more] }).disposition;
        if (before === "allow" || before === "block") expect(after).toBe(before);
        else expect(after).not.toBe("block");
      }),
      RUNS,
    );
  });

  it("never turns a block into anything else by taking budget away", () => {
    fc.assert(
      fc.property(anyFacts, fc.nat(20_000_000), (facts, less) => {
        const lower = (one: EnvelopeFact): EnvelopeFact => ({ ...one, ceilingMicros: one.ceilingMicros - less });
        const poorer = {
          ...facts,
          agentBudget: facts.agentBudget === null ? null : lower(facts.agentBudget),
          envelopes: facts.envelopes.map(lower),
        };
        const before = judgeDispatch(facts).disposition;
        const after = judgeDispatch(poorer).disposition;
        if (before === "block") expect(after).toBe("block");
        if (before === "hold") expect(after).not.toBe("allow");
      }),
      RUNS,
    );
  });

  it("lists every policy that matched, the most specific first, whatever order they came in", () => {
    fc.assert(
      fc.property(anyFactsWith(anyPolicyOf(["true", "false"])), (facts) => {
        const turned = { ...facts, policies: facts.policies.toReversed() };
        const names = (one: DispatchFacts): string[] => judgeDispatch(one).matched.map(policyKey);
        expect(names(turned).toSorted()).toEqual(names(facts).toSorted());
        expect(judgeDispatch(turned).disposition).toBe(judgeDispatch(facts).disposition);
      }),
      RUNS,
    );
  });
});
