import { dispatchIdOf } from "../event/index.ts";
import type { BoundRequest, Dispatch } from "./effect.ts";
import type { Instruction, Route } from "./input.ts";
import { planNodeOf } from "./move.ts";
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
  const { timeoutMs, effects, request: hints } = planNodeOf(state, node);
  const { attempt, route, request, maxOutputTokens, instructions, isResend } = sending;
  return {
    type: "dispatch",
    nodeId: node.id,
    epoch: node.epoch,
    dispatchId: dispatchIdOf({ runId: state.runId, nodeId: node.id, attempt }),
    idempotencyKey: `${state.runId}/${node.id}/${node.epoch}`,
    hints,
    timeoutMs,
    effects,
    attempt,
    route,
    request,
    maxOutputTokens,
    instructions,
    isResend,
  };
}
