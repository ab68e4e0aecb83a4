/** A script node: it has no gate and no slot, is dispatched to the script runner, and reports like any other node. */
import type { PlanNode } from "../plan/index.ts";
import type { Binding } from "./binding.ts";
import { dispatchOf } from "./dispatching.ts";
import type { Route } from "./input.ts";
import type { NodeState } from "./state.ts";
import { emit, perform, setTimer, type Turn } from "./turn.ts";

export const SCRIPT_ROUTE: Route = {
  agentId: null,
  gatewayId: null,
  provider: "script",
  model: null,
  executionPath: "edge",
};

export function startScript(
  turn: Turn,
  node: NodeState,
  { timeoutMs, wave }: PlanNode,
  { request }: Extract<Binding, { kind: "bound" }>,
): void {
  const attempt = node.attempts + 1;
  const nodeId = node.id;
  const deadline = timeoutMs === null ? {} : { deadlineAt: turn.at + timeoutMs };
  emit(turn, "node.started", { nodeId, attempt, wave, ...SCRIPT_ROUTE, verdictId: null, ...deadline });
  const sending = { attempt, route: SCRIPT_ROUTE, request, maxOutputTokens: null, instructions: [], isResend: false };
  perform(turn, dispatchOf(turn.state, node, sending));
  if (timeoutMs !== null) setTimer(turn, { kind: "attempt", nodeId, attempt }, turn.at + timeoutMs);
}
