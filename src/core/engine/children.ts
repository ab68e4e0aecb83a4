/** A node that runs another run. It holds no slot, and it ends as its child ends. */
import { causeOf, fail, type Failure, type Json, LIMITS, type Outcome, succeed } from "../base/index.ts";
import type { WorkflowRef } from "../definition/index.ts";
import { isSettled, isTerminal, type RunEnding } from "../event/index.ts";
import { normaliseLabel } from "../template/index.ts";
import { FINALLY, type LensBody, type PlanNode } from "../plan/index.ts";
import { findingsOfChild } from "./bind.ts";
import { bindLens } from "./bind-lens.ts";
import { bindWith } from "./bind-step.ts";
import type { Findings } from "./binding.ts";
import {
  bindFree,
  blockByPath,
  type BlockCall,
  blockToRun,
  continuedRun,
  findingsOfBlock,
  ownerOf,
  sceneInside,
  withBranch,
} from "./blocks.ts";
import { usageSince, lineageOf, namedIn, STARTED_WITHIN_MS } from "./child-call.ts";
import { completeAttempt } from "./completing.ts";
import { recordCost } from "./cost.ts";
import { CANCELLED_BY_SIBLING, cancelReason, windDown } from "./ending.ts";
import { endFailed, failNode } from "./failing.ts";
import type { StartChild } from "./effect.ts";
import { finallyCallOf, onFinallyFinished } from "./finally.ts";
import type { ChildFinishedInput } from "./input.ts";
import { findNode, isAttemptOpen, planNodeOf } from "./move.ts";
import { noteFindings } from "./proceed.ts";
import { completeNode, dataResult, skipNode } from "./settle.ts";
import type { NodeState, RunState } from "./state.ts";
import type { ChildTimer } from "./timer.ts";
import { about, deriveId, emit, perform, setTimer, type Turn } from "./turn.ts";
import { sceneOf } from "./value.ts";
import { continueTurn } from "./tool-answer.ts";
import { callWaitingFor, completeToolChild, toolChildCallOf } from "./tool-child.ts";
import { takenForBlock } from "./taken-events.ts";

export function startChild(turn: Turn, node: NodeState, planNode: PlanNode): void {
  const { state } = turn;
  const { timeoutMs, wave } = planNode;
  const called = callOf(state, node, planNode);
  if (!called.ok) return failNode(turn, node, called.failure);
  const call = called.value;
  if (call === null) return skipNode(turn, node, "condition_false");
  noteFindings(turn, node, findingsOf(state, node, planNode, call));
  const recursionDepth = state.recursionDepth + 1;
  if (recursionDepth > LIMITS.recursionDepthMax) {
    const message = `${node.id} would be run ${recursionDepth} levels deep, the limit is ${LIMITS.recursionDepthMax}`;
    return failNode(turn, node, { code: "recursion_limit", message });
  }
  const bound = bindArgs(state, node, planNode, call);
  if (!bound.ok) return failNode(turn, node, bound.failure);
  const sourceRunId = "block" in call ? continuedRun(state, node, call.block) : null;
  const attempt = node.attempts + 1;
  const nowhere = { agentId: null, gatewayId: null, provider: null, model: null, verdictId: null, executionPath: null };
  const deadline = timeoutMs === null ? {} : { deadlineAt: turn.at + timeoutMs };
  emit(turn, "node.started", { nodeId: node.id, attempt, wave, ...nowhere, ...deadline });
  const childRunId = deriveId(turn, "run");
  const what = { ...targetOf(state, call), ...(sourceRunId === null ? {} : { sourceRunId }) };
  const { workflow, owner: _owner, ...named } = what;
  const handoffs = handoffCountOf(state, node);
  emit(turn, "child.started", { nodeId: node.id, attempt, childRunId, workflow: workflow.name, ...named, ...handoffs });
  perform(turn, startOf(state, node, { attempt, childRunId, ...what, ...bound.value }));
  setTimer(turn, { kind: "child", nodeId: node.id, attempt, childRunId }, turn.at + STARTED_WITHIN_MS);
  if (timeoutMs !== null) setTimer(turn, { kind: "attempt", nodeId: node.id, attempt }, turn.at + timeoutMs);
}

/** Another workflow, or a block with the values passed to it. */
type Call = { readonly workflow: WorkflowRef } | BlockCall;

/** Returns the workflow or block to run. Null when no branch applies. */
function callOf(state: RunState, node: NodeState, planNode: PlanNode): Outcome<Call | null, Failure> {
  const { child } = planNode;
  return child !== null && "workflow" in child ? succeed(child) : blockToRun(state, node, planNode);
}

function targetOf(state: RunState, call: Call): Pick<StartChild, "workflow" | "block" | "owner"> {
  if ("workflow" in call) return { workflow: call.workflow };
  return { workflow: { name: state.workflow, version: null }, block: call.block, owner: ownerOf(state) };
}

function findingsOf(state: RunState, node: NodeState, { body }: PlanNode, call: Call): Findings {
  if ("workflow" in call || body.kind !== "step") return findingsOfChild(state, node);
  return findingsOfBlock(state, node, body, call);
}

type ToStart = Pick<
  StartChild,
  "attempt" | "childRunId" | "workflow" | "block" | "owner" | "sourceRunId" | "args" | "offered"
>;

function startOf(state: RunState, node: NodeState, wanted: ToStart): StartChild {
  return {
    type: "start-child",
    nodeId: node.id,
    ...wanted,
    ...namedIn(state),
    ...lineageOf(state),
    ...handoffCountOf(state, node),
    ...(state.startedBy === null ? {} : { startedBy: state.startedBy }),
    ...takenBy(state, node, wanted),
    recursionDepth: state.recursionDepth + 1,
  };
}

function takenBy(state: RunState, node: NodeState, { block }: ToStart): Pick<StartChild, "taken"> {
  const taken = block === undefined ? [] : takenForBlock(state, node);
  return taken.length === 0 ? {} : { taken };
}

/** Rebuilds the child start of the node's open attempt from the log. Null when the node no longer waits for this child. */
export function childCallOf(state: RunState, { nodeId, attempt, childRunId }: ChildTimer): StartChild | null {
  const node = findNode(state, nodeId);
  if (node === undefined) return finallyCallOf(state, childRunId);
  const ofCall = toolChildCallOf(state, node, { kind: "child", nodeId, attempt, childRunId });
  if (ofCall !== null) return ofCall;
  if (node.now.status !== "running" || node.now.childRunId !== childRunId) return null;
  const planNode = planNodeOf(state, node);
  const { child } = planNode;
  const { block, sourceRunId } = node.now;
  const isOther = child !== null && "workflow" in child;
  const call = isOther ? child : block === null ? null : blockByPath(planNode, block);
  const bound = call === null ? null : bindArgs(state, node, planNode, call);
  if (call === null || bound?.ok !== true) return null;
  const source = sourceRunId === null ? {} : { sourceRunId };
  return startOf(state, node, { attempt, childRunId, ...targetOf(state, call), ...source, ...bound.value });
}

/** A node with a child run passes all its inputs to that run. */
function handoffCountOf({ handoffs }: RunState, { id }: NodeState): Pick<StartChild, "handoffs"> {
  const rows = handoffs.get(id)?.rows ?? 0;
  return rows === 0 ? {} : { handoffs: rows };
}

type Given = Pick<StartChild, "args" | "offered">;

function bindArgs(state: RunState, node: NodeState, planNode: PlanNode, call: Call): Outcome<Given, Failure> {
  const { body } = planNode;
  if (body.kind === "step" && "block" in call) {
    return succeed({ args: bindFree(sceneOf(state, node, body), call.with) });
  }
  if (body.kind === "lens" && "block" in call) {
    const inside = sceneInside(state, node, planNode, body);
    return inside.ok ? succeed({ args: bindFree(inside.value.scene, call.with) }) : inside;
  }
  if (body.kind === "lens") return bindLensArgs(state, node, planNode, body);
  const bound = bindWith(state, node, body);
  return bound.ok ? succeed({ args: bound.value }) : bound;
}

/** A lens node passes the values of its edges and overrides; `with` adds to them and takes precedence. Root inputs are offered. */
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
 * Handles a child run that has ended or has spent more. Only the cost counts for a child that was abandoned (timed out,
 * rewound), that has reported before, or whose parent has ended. It reports its total cost, so a second report adds
 * nothing.
 */
export function onChildFinished(turn: Turn, input: ChildFinishedInput): void {
  const { nodeId, attempt, childRunId, status } = input;
  const { state } = turn;
  const node = findNode(state, nodeId);
  if (nodeId === FINALLY && node === undefined) return onFinallyFinished(turn, input);
  const known = state.childCosts.get(childRunId);
  if (node === undefined || known === undefined) return;
  const { now } = node;
  const isLive = state.liveChildren.has(childRunId) && !isTerminal(state.status);
  const call = callWaitingFor(node, childRunId);
  const isOpen =
    isLive && now.status === "running" && isAttemptOpen(state, node, attempt) && now.childRunId === childRunId;
  const isWaitedFor = isOpen || (isLive && call !== undefined && !isSettled(now.status));
  recordCost(turn, node, attempt, usageSince(input, known), { isLate: !isWaitedFor, childRunId });
  if (!isLive) return;
  const taken = input.taken === undefined ? {} : { taken: [...input.taken] };
  emit(turn, "child.finished", { nodeId, attempt, childRunId, status, ...taken });
  if (call !== undefined) {
    completeToolChild(turn, node, call, input);
    continueTurn(turn, node);
  }
  if (!isOpen) return;
  if (input.ends === undefined || state.ending !== null) settleChild(turn, node, input);
  else endByBlock(turn, node, input, input.ends);
}

/** A step of the block ends this run too. When this run is itself a block, the run that contains it also ends. */
function endByBlock(turn: Turn, node: NodeState, input: ChildFinishedInput, ends: RunEnding): void {
  const { as, reason } = ends;
  if (as !== "failed") {
    if (as === "completed") completeNode(turn, node, dataResult(input.outputs), input);
    else emit(turn, "node.cancelled", { ...about(node), reason: "run_cancelled" });
    return windDown(turn, { as, reason, isByStep: true });
  }
  const errorCode = ends.errorCode ?? "child_failed";
  const { isFailFast } = planNodeOf(turn.state, node);
  endFailed(turn, node, { code: errorCode, message: reason });
  windDown(turn, { as, reason, errorCode, failed: node, isFailFast, isByStep: true });
}

function settleChild(turn: Turn, node: NodeState, input: ChildFinishedInput): void {
  const { ending } = turn.state;
  const block = node.now.status === "running" ? node.now.block : null;
  const what = block === null ? `the child run ${input.childRunId}` : "the block";
  if (ending !== null && ending.as !== "failed") {
    emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(turn.state) });
    return;
  }
  switch (input.status) {
    case "completed":
      return completeAttempt(turn, node, {
        ...dataResult(withBranch(planNodeOf(turn.state, node), block, input.outputs)),
        tokens: input.tokens,
        costMicros: input.costMicros,
      });
    case "cancelled":
      if (ending !== null) emit(turn, "node.cancelled", { ...about(node), reason: CANCELLED_BY_SIBLING });
      else failNode(turn, node, { code: "child_cancelled", message: `${what} was cancelled` });
      return;
    default:
      return failNode(turn, node, failureOf(input, block === null ? what : null));
  }
}

/** A block fails with the error of its step, so that handlers and retries see the cause. Another run only reports that it failed. */
function failureOf({ status, errorCode, errorMessage }: ChildFinishedInput, what: string | null): Failure {
  if (what === null && errorCode !== undefined)
    return { code: errorCode, message: errorMessage ?? errorCode, cause: causeOf(errorCode) ?? "provider_error" };
  const why = errorMessage === undefined ? "" : `: ${errorMessage}`;
  return { code: "child_failed", message: `${what ?? "the block"} ended ${status}${why}`, cause: "provider_error" };
}
