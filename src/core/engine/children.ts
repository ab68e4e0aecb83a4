/** A node that is another run: it holds no slot, and ends as its child ends. */
import { fail, type Failure, type Json, LIMITS, type Outcome, succeed } from "../base/index.ts";
import { isTerminal, type Tokens } from "../event/index.ts";
import { normaliseLabel } from "../template/index.ts";
import type { LensBody, PlanNode } from "../plan/index.ts";
import { bindLens } from "./bind-lens.ts";
import { bindWith } from "./bind-step.ts";
import { completeAttempt } from "./completing.ts";
import { recordCost, type Usage } from "./cost.ts";
import { CANCELLED_BY_SIBLING, cancelReason } from "./ending.ts";
import { failNode } from "./failing.ts";
import type { StartChild } from "./effect.ts";
import type { ChildFinishedInput } from "./input.ts";
import { findNode, isAttemptOpen, planNodeOf } from "./move.ts";
import { dataResult } from "./settle.ts";
import type { NodeState, RunState } from "./state.ts";
import type { ChildTimer } from "./timer.ts";
import { about, deriveId, emit, perform, setTimer, type Turn } from "./turn.ts";

export function startChild(turn: Turn, node: NodeState, planNode: PlanNode): void {
  const { state } = turn;
  const { child, timeoutMs, wave } = planNode;
  if (child === null) return;
  const recursionDepth = state.recursionDepth + 1;
  if (recursionDepth > LIMITS.recursionDepthMax) {
    const message = `${node.id} would be run ${recursionDepth} levels deep, the limit is ${LIMITS.recursionDepthMax}`;
    return failNode(turn, node, { code: "recursion_limit", message });
  }
  const bound = bindArgs(state, node, planNode);
  if (!bound.ok) return failNode(turn, node, bound.failure);
  const attempt = node.attempts + 1;
  const nowhere = { agentId: null, gatewayId: null, provider: null, model: null, verdictId: null, executionPath: null };
  const deadline = timeoutMs === null ? {} : { deadlineAt: turn.at + timeoutMs };
  emit(turn, "node.started", { nodeId: node.id, attempt, wave, ...nowhere, ...deadline });
  const childRunId = deriveId(turn, "run");
  const handed = handedTo(state, node);
  emit(turn, "child.started", { nodeId: node.id, attempt, childRunId, workflow: child.workflow.name, ...handed });
  const { workflow } = child;
  perform(turn, {
    type: "start-child",
    nodeId: node.id,
    attempt,
    childRunId,
    workflow,
    ...bound.value,
    ...namedIn(state),
    ...lineageOf(state),
    ...handed,
    ...(state.startedBy === null ? {} : { startedBy: state.startedBy }),
    recursionDepth,
  });
  setTimer(turn, { kind: "child", nodeId: node.id, attempt, childRunId }, turn.at + STARTED_WITHIN_MS);
  if (timeoutMs !== null) setTimer(turn, { kind: "attempt", nodeId: node.id, attempt }, turn.at + timeoutMs);
}

/** How long a child may take to start before the driver looks for it. */
const STARTED_WITHIN_MS = 10_000;

/** What the node's open attempt wants started, built again from the log; null when it no longer waits for a child. */
export function childCallOf(state: RunState, { nodeId, attempt, childRunId }: ChildTimer): StartChild | null {
  const node = findNode(state, nodeId);
  if (node?.now.status !== "running" || node.now.childRunId !== childRunId) return null;
  const planNode = planNodeOf(state, node);
  const bound = bindArgs(state, node, planNode);
  if (planNode.child === null || !bound.ok) return null;
  const { workflow } = planNode.child;
  const recursionDepth = state.recursionDepth + 1;
  return {
    type: "start-child",
    nodeId,
    attempt,
    childRunId,
    workflow,
    ...bound.value,
    ...namedIn(state),
    ...lineageOf(state),
    ...handedTo(state, node),
    recursionDepth,
  };
}

/** A node that is another run hands all its inputs to that run. */
function handedTo({ handoffs }: RunState, { id }: NodeState): Pick<StartChild, "handoffs"> {
  const rows = handoffs.get(id)?.rows ?? 0;
  return rows === 0 ? {} : { handoffs: rows };
}

function namedIn({ placement }: RunState): Pick<StartChild, "named"> {
  return placement === null ? {} : { named: placement.named ?? {} };
}

function lineageOf({ root, hops, place, heldKeys }: RunState): Pick<StartChild, "root" | "hops" | "heldKeys"> {
  const held = place?.standing === "held" ? [...heldKeys, place.key] : heldKeys;
  const keys = held.length === 0 ? {} : { heldKeys: held };
  return { ...(root === null ? {} : { root }), ...(hops === 0 ? {} : { hops }), ...keys };
}

type Given = Pick<StartChild, "args" | "offered">;

function bindArgs(state: RunState, node: NodeState, planNode: PlanNode): Outcome<Given, Failure> {
  const { body } = planNode;
  if (body.kind === "lens") return bindLensArgs(state, node, planNode, body);
  const bound = bindWith(state, node, body);
  return bound.ok ? succeed({ args: bound.value }) : bound;
}

/** A lens node hands on what its edges and overrides bring; `with` adds to that and wins. Root inputs are offered. */
function bindLensArgs(state: RunState, node: NodeState, planNode: PlanNode, body: LensBody): Outcome<Given, Failure> {
  const binding = bindLens(state, node, planNode, body);
  if (binding.kind === "failed") return fail(binding.failure);
  if (binding.kind === "unbound") {
    return fail({ code: "unbound_reference", message: `${node.id} has no value for ${binding.missing.join(", ")}` });
  }
  const labels = [...body.params, ...body.overrides].map(({ label }) => normaliseLabel(label));
  const meant = new Set([...labels, ...Object.keys(node.values).map(normaliseLabel)]);
  const inputs = Object.entries(binding.request.inputs);
  const isMeant = ([label]: readonly [string, Json]): boolean => meant.has(normaliseLabel(label));
  const offered = Object.fromEntries(inputs.filter((input) => !isMeant(input)));
  return succeed({ args: { ...Object.fromEntries(inputs.filter(isMeant)), ...body.with }, offered });
}

/**
 * A child run has ended, or has spent more since. One that was given up before (timed out, rewound), has reported
 * before, or whose parent has ended only costs. It reports its whole cost so far, so that reporting twice costs once.
 */
export function onChildFinished(turn: Turn, input: ChildFinishedInput): void {
  const { nodeId, attempt, childRunId, status } = input;
  const { state } = turn;
  const node = findNode(state, nodeId);
  const known = state.childCosts.get(childRunId);
  if (node === undefined || known === undefined) return;
  const { now } = node;
  const isLive = state.liveChildren.has(childRunId) && !isTerminal(state.status);
  const isOpen =
    isLive && now.status === "running" && isAttemptOpen(state, node, attempt) && now.childRunId === childRunId;
  recordCost(turn, node, attempt, beyond(input, known), { isLate: !isOpen, childRunId });
  if (!isLive) return;
  emit(turn, "child.finished", { nodeId, attempt, childRunId, status });
  if (isOpen) settleChild(turn, node, input);
}

/** What was spent since the last report; one that was overtaken by a later one adds nothing. */
function beyond(total: Pick<Usage, "costMicros" | "tokens">, known: Pick<Usage, "costMicros" | "tokens">): Usage {
  const more = (key: keyof Tokens): number => Math.max(0, total.tokens[key] - known.tokens[key]);
  return {
    costMicros: Math.max(0, total.costMicros - known.costMicros),
    tokens: {
      inputTokens: more("inputTokens"),
      outputTokens: more("outputTokens"),
      thinkingTokens: more("thinkingTokens"),
      cachedTokens: more("cachedTokens"),
    },
  };
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
      if (ending !== null) emit(turn, "node.cancelled", { ...about(node), reason: CANCELLED_BY_SIBLING });
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
