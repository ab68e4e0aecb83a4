import type { Tokens } from "../event/index.ts";
import type { NodeState } from "./state.ts";
import { emit, type Turn } from "./turn.ts";

export interface Usage {
  readonly tokens: Tokens;
  readonly costMicros: number;
  readonly model?: string | null;
  readonly priceId?: string;
  readonly extraCalls?: number;
  /** The round of the agent's turn. Absent outside a round. */
  readonly round?: number;
  /** The execution of the attempt. Absent for the first. */
  readonly segment?: number;
}

export interface CostKind {
  readonly isLate: boolean;
  readonly childRunId?: string;
  /** Writes the event even when nothing was spent, because it also records that the attempt has reported. */
  readonly isAlways?: boolean;
}

/** Records the cost of every report exactly once, whether or not its output is used. */
export function recordCost(turn: Turn, node: NodeState, attempt: number, usage: Usage, kind: CostKind): void {
  recordRunCost(turn, node.id, attempt, usage, kind);
}

export function recordRunCost(turn: Turn, nodeId: string, attempt: number, usage: Usage, kind: CostKind): void {
  const { tokens, costMicros, model, priceId, extraCalls = 0, round, segment = 0 } = usage;
  const spent = costMicros + tokens.inputTokens + tokens.outputTokens + tokens.thinkingTokens + tokens.cachedTokens;
  if (spent === 0 && extraCalls === 0 && kind.isAlways !== true) return;
  emit(turn, "cost.recorded", {
    nodeId,
    attempt,
    costMicros,
    tokens,
    ...(model === undefined ? {} : { model }),
    ...(priceId === undefined ? {} : { priceId }),
    ...(kind.isLate ? { late: true } : {}),
    ...(extraCalls === 0 ? {} : { extraCalls }),
    ...(round === undefined ? {} : { round }),
    ...(round === undefined && segment === 0 ? {} : { segment }),
    ...(kind.childRunId === undefined ? {} : { childRunId: kind.childRunId }),
  });
}
