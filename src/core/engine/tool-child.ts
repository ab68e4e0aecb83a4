/** Tools that are workflows: the call is a child run, and its outputs are the result. */
import { type Json, LIMITS } from "../base/index.ts";
import { isSettled } from "../event/index.ts";
import type { RequestHints } from "../plan/index.ts";
import { childCalls, type ToolCall } from "./agent-turn.ts";
import { lineageOf, namedIn, STARTED_WITHIN_MS } from "./child-call.ts";
import type { StartChild } from "./effect.ts";
import { stopChild } from "./ending-child.ts";
import type { ChildFinishedInput } from "./input.ts";
import { planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import type { ChildTimer } from "./timer.ts";
import { about, deriveId, emit, perform, setTimer, type Turn } from "./turn.ts";

type WorkflowTool = Extract<NonNullable<RequestHints["stepTools"]>[number], { kind: "workflow" }>;

function workflowToolOf(state: RunState, node: NodeState, { tool, server }: ToolCall): WorkflowTool | undefined {
  const { stepTools = [] } = planNodeOf(state, node).request;
  if (server !== null) return undefined;
  return stepTools.find((one): one is WorkflowTool => one.kind === "workflow" && one.name === tool);
}

/** True for a call made as a child run. Its adapter does not make the call, and is suspended until it ends. */
export function isWorkflowCall(state: RunState, node: NodeState, call: ToolCall): boolean {
  return workflowToolOf(state, node, call) !== undefined;
}

/** Starts the workflow of an allowed call, once per call. The agent is suspended until it ends. */
export function startToolChild(turn: Turn, node: NodeState, callId: string): void {
  const { state } = turn;
  const call = node.turn?.calls.get(callId);
  const tool = call === undefined ? undefined : workflowToolOf(state, node, call);
  if (call === undefined || tool === undefined || call.result !== null) return;
  const depth = state.recursionDepth + 1;
  if (depth > LIMITS.recursionDepthMax) {
    const why = `recursion_limit: ${tool.name} would be run ${depth} levels deep, the limit is ${LIMITS.recursionDepthMax}`;
    return complete(turn, node, call, why, true);
  }
  const attempt = node.attempts;
  const childRunId = deriveId(turn, "run");
  const { name } = tool.workflow;
  emit(turn, "child.started", { nodeId: node.id, attempt, childRunId, workflow: name, callId });
  perform(turn, startOf(state, node, call, tool, { attempt, childRunId }));
  setTimer(turn, { kind: "child", nodeId: node.id, attempt, childRunId }, turn.at + STARTED_WITHIN_MS);
}

function startOf(
  state: RunState,
  node: NodeState,
  { args }: ToolCall,
  { workflow }: WorkflowTool,
  started: { readonly attempt: number; readonly childRunId: string },
): StartChild {
  return {
    type: "start-child",
    nodeId: node.id,
    ...started,
    workflow,
    args,
    ...namedIn(state),
    ...lineageOf(state),
    ...(state.startedBy === null ? {} : { startedBy: state.startedBy }),
    recursionDepth: state.recursionDepth + 1,
  };
}

/** Rebuilds the child start of a call from the log. Null when no call waits for this child. */
export function toolChildCallOf(
  state: RunState,
  node: NodeState,
  { attempt, childRunId }: ChildTimer,
): StartChild | null {
  const call = callWaitingFor(node, childRunId);
  const tool = call === undefined ? undefined : workflowToolOf(state, node, call);
  return call === undefined || tool === undefined ? null : startOf(state, node, call, tool, { attempt, childRunId });
}

/** Returns the call that waits for a child run. Undefined when no call does, or when it already has its result. */
export function callWaitingFor(node: NodeState, childRunId: string): ToolCall | undefined {
  return childCalls(node).find(({ ruling }) => ruling.kind === "child" && ruling.childRunId === childRunId);
}

/** The child run has ended. A failure is passed to the agent as the result of the call. */
export function completeToolChild(turn: Turn, node: NodeState, call: ToolCall, input: ChildFinishedInput): void {
  if (isSettled(node.now.status)) return;
  if (input.status === "completed") return complete(turn, node, call, { ...input.outputs }, false);
  const why = input.errorMessage === undefined ? "" : `: ${input.errorMessage}`;
  const code = input.status === "cancelled" ? "child_cancelled" : "child_failed";
  complete(turn, node, call, `${code}: the run ${input.childRunId} ended ${input.status}${why}`, true);
}

function complete(turn: Turn, node: NodeState, { id: callId }: ToolCall, result: Json, isError: boolean): void {
  emit(turn, "tool.completed", { ...about(node), callId, result, isError, durationMs: 0 });
}

/** Cancels the child runs started by calls when their node ends. */
export function stopToolChildren(turn: Turn, node: NodeState): void {
  for (const { ruling } of childCalls(node)) {
    if (ruling.kind === "child") stopChild(turn, node.id, node.attempts, ruling.childRunId);
  }
}
