import { required } from "../base/index.ts";
import type { EventOf } from "../event/index.ts";
import { type AgentTurn, describing, newAgentTurn, type ToolCall } from "./agent-turn.ts";
import type { NodeState, RunState } from "./state.ts";

type AgentEvent = EventOf<"round.completed" | "tool.requested" | "tool.decided" | "tool.completed">;

export function applyAgent(node: NodeState, event: AgentEvent): void {
  const turn = (node.turn ??= event.payload.carried === true ? newAgentTurn() : turnOfOlderAttempt(node));
  // The counter limits requests that make no progress. A completed round is progress, so it starts again at 0.
  if (event.type === "round.completed") node.calls = 0;
  foldTurn(turn, event, isAtWork(node));
}

/** Turns carried over for an instance are stored until its node has expanded. */
export function applyAgentBeforeExpansion({ carriedTurns }: RunState, event: AgentEvent): void {
  const { nodeId } = event.payload;
  const turn = carriedTurns.get(nodeId) ?? newAgentTurn();
  carriedTurns.set(nodeId, turn);
  foldTurn(turn, event, false);
}

/** `isUnderWay`: an execution of the attempt is running. */
function foldTurn(turn: AgentTurn, event: AgentEvent, isUnderWay: boolean): void {
  switch (event.type) {
    case "round.completed":
      return applyRoundCompleted(turn, event);
    case "tool.requested":
      return applyRequested(turn, event);
    case "tool.decided":
      return applyDecided(turn, event, isUnderWay);
    case "tool.completed": {
      const { result: value, isError } = event.payload;
      const call = callOf(turn, event.payload.callId);
      call.result = { value, isError };
      // The result is known now, so no person needs to decide about the call.
      if (call.ruling.kind === "hold" || call.ruling.kind === "child")
        call.ruling = { kind: "allow", execution: turn.executions };
      return;
    }
  }
}

/** Creates the turn of a node whose attempt began before the turn had any event. */
function turnOfOlderAttempt(node: NodeState): AgentTurn {
  const turn = newAgentTurn();
  turn.executions = 1;
  if (node.now.status === "running" || node.now.status === "streaming") turn.segment = node.now.segment;
  return turn;
}

function applyRoundCompleted(turn: AgentTurn, { payload }: EventOf<"round.completed">): void {
  const { model, finish, text, message, calls, inputTokens, outputTokens } = payload;
  turn.rounds.push({ model, finish, text, message, calls, inputTokens, outputTokens });
  turn.transcript = null;
  if (payload.carried === true) return;
  turn.spent.costMicros += payload.costMicros;
  turn.spent.inputTokens += inputTokens;
  turn.spent.outputTokens += outputTokens;
}

function applyRequested(turn: AgentTurn, { payload }: EventOf<"tool.requested">): void {
  const { callId, round, tool, server = null, args, argsDigest, action, effects, timeoutMs, waits } = payload;
  const described = describing(payload);
  const key = repeatKey(tool, argsDigest);
  turn.repeats.set(key, (turn.repeats.get(key) ?? 0) + 1);
  turn.calls.set(callId, {
    id: callId,
    round,
    tool,
    server,
    args,
    isChanged: false,
    argsDigest,
    action,
    effects,
    described: Object.keys(described).length === 0 ? null : described,
    timeoutMs: timeoutMs ?? null,
    waits: waits ?? false,
    ruling: { kind: "deny", reason: "it was not decided", code: null },
    otherDigest: null,
    result: null,
  });
}

export function repeatKey(tool: string, argsDigest: string): string {
  return `${argsDigest} ${tool}`;
}

function applyDecided(turn: AgentTurn, { payload }: EventOf<"tool.decided">, isUnderWay: boolean): void {
  const call = callOf(turn, payload.callId);
  const { disposition, args, approvalId, reason = "", code = null, retryAfterMs, isOther, argsDigest = null } = payload;
  if (isOther === true) {
    call.otherDigest = argsDigest;
    return;
  }
  switch (disposition) {
    case "allow": {
      const wasHeld = call.ruling.kind === "hold";
      // A running execution may make a held call itself: it waits for the answer, or requests the ruling again.
      const execution = wasHeld && !isUnderWay ? turn.executions + 1 : turn.executions;
      call.ruling = { kind: "allow", execution };
      if (args === undefined) return;
      call.args = args;
      call.isChanged = true;
      return;
    }
    case "deny":
      call.ruling = { kind: "deny", reason, code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      return;
    case "hold":
      call.ruling = {
        kind: "hold",
        approvalId: required(approvalId, "a call is held by an approval"),
        isUnknown: payload.isUnknown ?? false,
      };
  }
}

function isAtWork({ now }: NodeState): boolean {
  return now.status === "running" || now.status === "streaming";
}

/** Records that the call is made as a run of its own. */
export function beginChildCall({ turn }: NodeState, callId: string, childRunId: string): void {
  const call = callOf(required(turn, "a call belongs to a turn"), callId);
  call.ruling = { kind: "child", childRunId };
}

function callOf({ calls }: AgentTurn, callId: string): ToolCall {
  return required(calls.get(callId), "a call that is decided was requested");
}

/** Starts an execution: of a new attempt, or of an attempt that was paused. */
export function beginExecution(node: NodeState, segment: number | undefined): void {
  const { turn } = node;
  if (turn === null) return;
  turn.executions += 1;
  if (segment === undefined) turn.ranMs = 0;
  turn.segment = segment ?? 0;
  turn.paused = null;
}

/** Ends the execution while its attempt stays open. */
export function pauseExecution(node: NodeState, at: number, how: NonNullable<AgentTurn["paused"]>): void {
  const turn = (node.turn ??= turnOfOlderAttempt(node));
  if (node.now.status === "running" || node.now.status === "streaming")
    turn.ranMs += Math.max(0, at - node.now.startedAt);
  turn.paused = how;
  if (how === "suspended") leaveCallsToNextExecution(turn);
}

/** A suspending execution has reported every call it made. Allowed calls without a result are left to the next execution. */
function leaveCallsToNextExecution({ calls, executions }: AgentTurn): void {
  for (const call of calls.values()) {
    if (call.ruling.kind === "allow" && call.result === null)
      call.ruling = { ...call.ruling, execution: executions + 1 };
  }
}
