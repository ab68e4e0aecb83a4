import { dispatchIdOf } from "../event/index.ts";
import type { BoundRequest, Dispatch } from "./effect.ts";
import type { Instruction, Route } from "./input.ts";
import { guaranteeOf, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

export interface Sending {
  readonly attempt: number;
  readonly route: Route;
  readonly request: BoundRequest;
  readonly maxOutputTokens: number | null;
  readonly instructions: readonly Instruction[];
  readonly isResend: boolean;
}

export function dispatchOf(state: RunState, node: NodeState, sending: Sending): Dispatch {
  const { timeoutMs, request: hints } = planNodeOf(state, node);
  const { attempt, route, request, maxOutputTokens, instructions, isResend } = sending;
  const { turn } = node;
  return {
    type: "dispatch",
    nodeId: node.id,
    epoch: node.epoch,
    dispatchId: dispatchIdOf({ runId: state.runId, nodeId: node.id, attempt, segment: turn?.segment ?? 0 }),
    idempotencyKey: `${state.runId}/${node.id}/${node.epoch}`,
    hints,
    timeoutMs: timeLeft(node, timeoutMs, turn?.segment ?? 0),
    effects: guaranteeOf(state, node),
    attempt,
    route,
    request,
    maxOutputTokens,
    instructions,
    isResend,
    segment: turn?.segment ?? 0,
    turn: turn !== null && turn.rounds.length > 0 ? turn : null,
  };
}

/** Returns the execution that would begin now: the next one of a paused attempt, else the first of the next attempt. */
export function nextExecution({ attempts, turn }: NodeState): { readonly attempt: number; readonly segment: number } {
  if (turn === null || turn.paused === null) return { attempt: attempts + 1, segment: 0 };
  return { attempt: attempts, segment: turn.segment + 1 };
}

/** Returns the time left for an attempt, after subtracting the time its earlier executions used. */
export function timeLeft({ turn }: NodeState, timeoutMs: number | null, segment: number): number | null {
  if (timeoutMs === null || segment === 0) return timeoutMs;
  return Math.max(1, timeoutMs - (turn?.ranMs ?? 0));
}
