import type { Json } from "../../../src/core/base/index.ts";

/** Facts as they stand in a verdict's record, as far as the gates of a scene read them. */
interface RecordedFacts {
  readonly platform: { readonly isOpen: boolean };
  readonly openAttempts: number;
  readonly waitingAhead: number;
  readonly agent: { readonly status: string; readonly maxConcurrent: number } | null;
  readonly rate: { readonly used: number; readonly count: number } | null;
  readonly agentBudget: RecordedEnvelope | null;
  readonly envelopes: readonly RecordedEnvelope[];
  readonly estimateMicros: number | null;
  readonly node: { readonly id: string };
  readonly policies: readonly { readonly name: string; readonly version: number; readonly condition: string }[];
  readonly grants: readonly string[];
}

interface RecordedEnvelope {
  readonly spentMicros: number;
  readonly reservedMicros: number;
  readonly ceilingMicros: number;
}

/** The first gate that does not let it pass, worked out again by other means; null: all do. */
export function firstFailing(recorded: Json | undefined): string | null {
  const facts = recorded as unknown as RecordedFacts;
  const { platform, agent, rate, agentBudget, envelopes, node, policies, grants } = facts;
  const cost = facts.estimateMicros ?? 0;
  const isFull = ({ spentMicros, reservedMicros, ceilingMicros }: RecordedEnvelope): boolean =>
    spentMicros >= ceilingMicros || spentMicros + reservedMicros + cost > ceilingMicros;
  const isHeld = policies.some(
    ({ name, version, condition }) => condition === `node.id == '${node.id}'` && !grants.includes(`${name}@${version}`),
  );
  const failures: readonly (readonly [string, boolean])[] = [
    ["platform_open", !platform.isOpen],
    ["agent_status", agent === null || agent.status !== "idle"],
    ["concurrency", agent !== null && facts.openAttempts + facts.waitingAhead >= agent.maxConcurrent],
    ["rate_limit", rate !== null && rate.used >= rate.count],
    ["agent_budget", agentBudget !== null && isFull(agentBudget)],
    ["budget_envelopes", envelopes.some(isFull)],
    ["approval_required", isHeld],
  ];
  return failures.find(([, hasFailed]) => hasFailed)?.[0] ?? null;
}
