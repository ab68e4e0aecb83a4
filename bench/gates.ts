/** Governance alone: what the gates need for one verdict, on facts the benchmark's own verdicts were made from. */
import { isJsonObject } from "../src/core/base/index.ts";
import { type DispatchFacts, factsFromRecord, judgeDispatch, type Policy } from "../src/core/governance/index.ts";
import type { Store } from "../src/store/index.ts";
import { policyFrom } from "../test/governance/policy-from.ts";
import { median, ORG } from "./runtime.ts";

export interface GatesFigure {
  readonly policies: number;
  readonly microsPerVerdict: number;
}

const POLICIES = [2, 50] as const;
const VERDICTS = 100;
const ROUNDS = 7;
/** Verdicts per round. */
const ROUND = 20_000;

export async function measureGates(store: Store): Promise<readonly GatesFigure[]> {
  const facts = await factsOfBenchmark(store);
  return POLICIES.map((policies) => ({ policies, microsPerVerdict: measureVerdicts(facts, policies) }));
}

async function factsOfBenchmark(store: Store): Promise<readonly DispatchFacts[]> {
  const { data } = await store.listVerdicts(ORG, 0, { limit: VERDICTS, cursor: null });
  const facts = data.flatMap(({ body }) => {
    const record = body["facts"];
    const read = isJsonObject(record) ? factsFromRecord(record) : null;
    return read === null ? [] : [read];
  });
  if (facts.length === 0) throw new Error("the benchmark left no verdicts to judge again");
  return facts;
}

function measureVerdicts(kept: readonly DispatchFacts[], policies: number): number {
  const shared = policiesFor(kept[0]?.policies ?? [], policies);
  const facts = kept.map((one) => ({ ...one, policies: shared }));
  const micros: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = performance.now();
    for (let verdict = 0; verdict < ROUND; verdict += 1) {
      const one = facts[verdict % facts.length];
      if (one !== undefined && judgeDispatch(one).disposition !== "allow")
        throw new Error("a gate refused the benchmark");
    }
    micros.push(((performance.now() - before) * 1_000) / ROUND);
  }
  return median(micros);
}

/** Those the facts came with, and others of their kind that have to be looked at and do not apply. */
function policiesFor(kept: readonly Policy[], count: number): readonly Policy[] {
  const more = Array.from({ length: Math.max(0, count - kept.length) }, (_, index) => policyFor(index));
  return [...kept, ...more].slice(0, count);
}

function policyFor(index: number): Policy {
  const condition = `node.action == 'financial' and agent.trustLevel < ${(index % 9) + 1}`;
  return policyFrom(`bench-${index}`, { category: "guardrail", condition, action: "block" });
}
