import type { DispatchFacts } from "./facts.ts";
import type { Judgement } from "./gate.ts";
import { judgeDispatch } from "./judge.ts";
import { policyKey } from "./policy.ts";
import type { Policy } from "./registered.ts";

export type Disposition = Judgement["disposition"];

/** A verdict as it was made, with what it was made from. */
export interface RecordedVerdict {
  readonly id: string;
  readonly facts: DispatchFacts;
  readonly disposition: Disposition;
  /** It passed every gate and was refused for its instructions, of which facts say nothing. */
  readonly isContradiction?: boolean;
}

export interface BacktestOutcome {
  readonly id: string;
  readonly before: Disposition;
  readonly after: Disposition;
  /** The draft's condition held, whether or not that changed anything. */
  readonly isMatch: boolean;
  /** The draft reads args of which some were too large to be kept. */
  readonly isUncertain: boolean;
}

export interface BacktestExample extends BacktestOutcome {
  readonly at: number;
  readonly runId: string;
  readonly nodeId: string;
  readonly agentId: string;
  /** The gate that would decide, and what it would say; null where all would pass. */
  readonly gate: string | null;
  readonly message: string | null;
}

export interface Backtest {
  readonly looked: number;
  readonly matched: number;
  readonly changed: number;
  readonly uncertain: number;
  /** How often each change happens, nine pairs at most, those without change included. */
  readonly counts: readonly { readonly before: Disposition; readonly after: Disposition; readonly count: number }[];
  readonly outcomes: readonly BacktestOutcome[];
  /** The first verdicts that would have changed. */
  readonly examples: readonly BacktestExample[];
}

const EXAMPLES_MAX = 20;

/** What would have been decided had the draft been in force, in place of earlier versions of the same policy. */
export function backtest(draft: Policy, verdicts: readonly RecordedVerdict[]): Backtest {
  const readsArgs = draft.condition.paths.some(({ segments }) => segments[0] === "run");
  const outcomes: BacktestOutcome[] = [];
  const examples: BacktestExample[] = [];
  const counts = new Map<string, { before: Disposition; after: Disposition; count: number }>();
  for (const { id, facts, disposition: before, isContradiction = false } of verdicts) {
    const judgement = judgeDispatch(withDraft(draft, facts));
    // Its instructions stay as they were: a contradiction in them refuses whatever the gates let pass, as before.
    const after = isContradiction && judgement.disposition === "allow" ? before : judgement.disposition;
    const isMatch = judgement.matched.some(({ name }) => name === draft.name);
    const isUncertain = readsArgs && facts.run.argsLeftOut !== undefined;
    const outcome = { id, before, after, isMatch, isUncertain };
    outcomes.push(outcome);
    const pair = counts.get(`${before} ${after}`) ?? { before, after, count: 0 };
    counts.set(`${before} ${after}`, { ...pair, count: pair.count + 1 });
    if (before !== after && examples.length < EXAMPLES_MAX) examples.push(exampleOf(outcome, facts, judgement));
  }
  return {
    looked: outcomes.length,
    matched: outcomes.filter(({ isMatch }) => isMatch).length,
    changed: outcomes.filter(({ before, after }) => before !== after).length,
    uncertain: outcomes.filter(({ isUncertain }) => isUncertain).length,
    counts: [...counts.values()],
    outcomes,
    examples,
  };
}

/** The person who granted an earlier version would have been asked about this one, and counts as having granted it. */
function withDraft(draft: Policy, facts: DispatchFacts): DispatchFacts {
  const policies = [...facts.policies.filter(({ name }) => name !== draft.name), draft];
  const isEarlier = (grant: string): boolean => grant.slice(0, grant.lastIndexOf("@")) === draft.name;
  const grants = facts.grants.some(isEarlier) ? [...facts.grants, policyKey(draft)] : facts.grants;
  return { ...facts, policies, grants };
}

function exampleOf(outcome: BacktestOutcome, facts: DispatchFacts, judgement: Judgement): BacktestExample {
  const explanation = judgement.disposition === "allow" ? null : judgement.explanation;
  return {
    ...outcome,
    at: facts.at,
    runId: facts.run.runId,
    nodeId: facts.node.id,
    agentId: facts.agentId,
    gate: explanation?.gate ?? null,
    message: explanation?.message ?? null,
  };
}
