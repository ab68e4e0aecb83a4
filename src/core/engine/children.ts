/** A node that is another run: it holds no slot, and ends as its child ends. */
import { type Json, LIMITS } from "../base/index.ts";
import type { LensBody, PlanNode } from "../plan/index.ts";
import { bindLens } from "./bind-lens.ts";
import { bindWith } from "./bind-step.ts";
import { completeAttempt } from "./completing.ts";
import { recordCost } from "./cost.ts";
import { cancelReason } from "./ending.ts";
import { failNode } from "./failing.ts";
import type { ChildFinishedInput } from "./input.ts";
import { findNode } from "./move.ts";
import { dataResult } from "./settle.ts";
import type { NodeState } from "./state.ts";
import { about, deriveId, emit, perform, setTimer, type Turn } from "./turn.ts";

export function startChild(turn: Turn, node: NodeState, planNode: PlanNode): void {
  const { state } = turn;
  const { child, body, timeoutMs, wave } = planNode;
  if (child === null) return;
  const recursionDepth = state.recursionDepth + 1;
  if (recursionDepth > LIMITS.recursionDepthMax) {
    const message = `${node.id} would be run ${recursionDepth} levels deep, the limit is ${LIMITS.recursionDepthMax}`;
    return failNode(turn, node, { code: "recursion_limit", message });
  }
  const bound = body.kind === "step" ? bindWith(state, node, body) : bindLensArgs(turn, node, planNode, body);
  if (!bound.ok) return failNode(turn, node, bound.failure);
  const attempt = node.attempts + 1;
  const nowhere = { agentId: null, gatewayId: null, provider: null, model: null, verdictId: null, executionPath: null };
  const deadline = timeoutMs === null ? {} : { deadlineAt: turn.at + timeoutMs };
  emit(turn, "node.started", { nodeId: node.id, attempt, wave, ...nowhere, ...deadline });
  const childRunId = deriveId(turn, "run");
  emit(turn, "child.started", { nodeId: node.id, attempt, childRunId, workflow: child.workflow.name });
  const { workflow } = child;
  perform(turn, {
    type: "start-child",
    nodeId: node.id,
    attempt,
    childRunId,
    workflow,
    args: bound.value,
    recursionDepth,
  });
  if (timeoutMs !== null) setTimer(turn, { kind: "attempt", nodeId: node.id, attempt }, turn.at + timeoutMs);
}

/** A lens node hands its bound inputs on; `with` adds to them and wins. */
function bindLensArgs(turn: Turn, node: NodeState, planNode: PlanNode, body: LensBody) {
  const binding = bindLens(turn.state, node, planNode, body);
  if (binding.kind === "failed") return { ok: false as const, failure: binding.failure };
  if (binding.kind === "unbound") {
    const message = `${node.id} has no value for ${binding.missing.join(", ")}`;
    return { ok: false as const, failure: { code: "unbound_reference", message } };
  }
  const args: { readonly [name: string]: Json } = { ...binding.request.inputs, ...body.with };
  return { ok: true as const, value: args };
}

/** A child run has ended. One that was given up before (timed out, rewound) only costs. */
export function onChildFinished(turn: Turn, input: ChildFinishedInput): void {
  const { nodeId, attempt, childRunId, status } = input;
  const node = findNode(turn.state, nodeId);
  if (node === undefined || !turn.state.liveChildren.has(childRunId)) return;
  const isOpen = node.now.status === "running" && node.now.attempt === attempt && node.now.childRunId === childRunId;
  recordCost(turn, node, attempt, input, { isLate: !isOpen, childRunId });
  emit(turn, "child.finished", { nodeId, attempt, childRunId, status });
  if (isOpen) settleChild(turn, node, input);
}

function settleChild(turn: Turn, node: NodeState, input: ChildFinishedInput): void {
  const { ending } = turn.state;
  if (ending !== null && ending.as !== "failed") {
    emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(turn.state) });
    return;
  }
  switch (input.status) {
    case "completed":
      return completeAttempt(turn, node, {
        ...dataResult(input.outputs),
        tokens: input.tokens,
        costMicros: input.costMicros,
      });
    case "cancelled":
      if (ending !== null) emit(turn, "node.cancelled", { ...about(node), reason: "cancelled_by_sibling" });
      else
        failNode(turn, node, { code: "child_cancelled", message: `the child run ${input.childRunId} was cancelled` });
      return;
    default: {
      const why = input.errorMessage === undefined ? "" : `: ${input.errorMessage}`;
      const message = `the child run ${input.childRunId} ended ${input.status}${why}`;
      return failNode(turn, node, { code: "child_failed", message, cause: "provider_error" });
    }
  }
}
