import type { DispatchFacts } from "./facts.ts";
import type { Judgement } from "./gate.ts";
import { judgeDispatch } from "./judge.ts";
import { policyKey } from "./policy.ts";
import type { Policy } from "./registered.ts";
import type { CallFacts } from "./tool-fact.ts";
import { judgeTool } from "./tool-judge.ts";

export type Disposition = Judgement["disposition"];

/** A recorded verdict with the facts it was based on. */
export type RecordedVerdict = {
  readonly id: string;
  readonly disposition: Disposition;
  /** True when the node passed every gate and was refused because of its instructions, which are not in the facts. */
  readonly isContradiction?: boolean;
} & (
  | { readonly about?: "node"; readonly facts: DispatchFacts }
  | { readonly about: "tool"; readonly facts: CallFacts }
);

export interface BacktestOutcome {
  readonly id: string;
  readonly before: Disposition;
  readonly after: Disposition;
  /** True when the draft's condition held, whether or not that changed the verdict. */
  readonly isMatch: boolean;
  /** True when the draft reads args of which some were too large to be recorded. */
  readonly isUncertain: boolean;
}

export interface BacktestExample extends BacktestOutcome {
  readonly at: number;
  readonly runId: string;
  readonly nodeId: string;
  readonly agentId: string;
  /** Null when the verdict is about the node. */
  readonly callId: string | null;
  /** The gate that would decide, and its message. Null when all gates would pass. */
  readonly gate: string | null;
  readonly message: string | null;
}

export interface Backtest {
  readonly looked: number;
  readonly matched: number;
  readonly changed: number;
  readonly uncertain: number;
  /** Number of verdicts per pair of before and after, including unchanged ones. There are at most nine pairs. */
  readonly counts: readonly { readonly before: Disposition; readonly after: Disposition; readonly count: number }[];
  readonly outcomes: readonly BacktestOutcome[];
  /** The first verdicts that would change. */
  readonly examples: readonly BacktestExample[];
}

const EXAMPLES_MAX = 20;

/** Judges recorded verdicts again, with the draft in place of earlier versions of the same policy. */
export function backtest(draft: Policy, verdicts: readonly RecordedVerdict[]): Backtest {
  const outcomes: BacktestOutcome[] = [];
  const examples: BacktestExample[] = [];
  const counts = new Map<string, { before: Disposition; after: Disposition; count: number }>();
  for (const verdict of verdicts) {
    const { id, disposition: before, isContradiction = false } = verdict;
    const judgement = judgeAgain(draft, verdict);
    // The instructions are unchanged, so a contradiction in them still refuses a node that the gates allow.
    const after = isContradiction && judgement.disposition === "allow" ? before : judgement.disposition;
    const isMatch = judgement.matched.some(({ name }) => name === draft.name);
    const isUncertain = isBlind(draft, verdict);
    const outcome = { id, before, after, isMatch, isUncertain };
    outcomes.push(outcome);
    const pair = counts.get(`${before} ${after}`) ?? { before, after, count: 0 };
    counts.set(`${before} ${after}`, { ...pair, count: pair.count + 1 });
    if (before !== after && examples.length < EXAMPLES_MAX) examples.push(exampleOf(outcome, verdict, judgement));
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

function judgeAgain(draft: Policy, verdict: RecordedVerdict): Judgement {
  if (verdict.about !== "tool") return judgeDispatch(withDraft(draft, verdict.facts));
  const { facts } = verdict;
  return judgeTool({ ...facts, policies: [...facts.policies.filter(({ name }) => name !== draft.name), draft] });
}

/** True when the draft reads args of which some were not recorded. */
function isBlind({ condition }: Policy, verdict: RecordedVerdict): boolean {
  const reads = (head: string): boolean => condition.paths.some(({ segments }) => segments[0] === head);
  const tool = verdict.about === "tool" ? verdict.facts.tool : verdict.facts.call?.tool;
  const isToolBlind = tool?.argsLeftOut !== undefined && reads("tool");
  return isToolBlind || (verdict.facts.run.argsLeftOut !== undefined && reads("run"));
}

/** A person who granted an earlier version would have been asked about the draft too, and counts as having granted it. */
function withDraft(draft: Policy, facts: DispatchFacts): DispatchFacts {
  const policies = [...facts.policies.filter(({ name }) => name !== draft.name), draft];
  const isEarlier = (grant: string): boolean => grant.slice(0, grant.lastIndexOf("@")) === draft.name;
  const grants = facts.grants.some(isEarlier) ? [...facts.grants, policyKey(draft)] : facts.grants;
  return { ...facts, policies, grants };
}

function exampleOf(outcome: BacktestOutcome, verdict: RecordedVerdict, judgement: Judgement): BacktestExample {
  const { facts } = verdict;
  const explanation = judgement.disposition === "allow" ? null : judgement.explanation;
  return {
    ...outcome,
    at: facts.at,
    runId: facts.run.runId,
    nodeId: facts.node.id,
    agentId: facts.agentId,
    callId: verdict.about === "tool" ? verdict.facts.tool.callId : null,
    gate: explanation?.gate ?? null,
    message: explanation?.message ?? null,
  };
}
