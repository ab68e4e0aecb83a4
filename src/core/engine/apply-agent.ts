import { required } from "../base/index.ts";
import type { EventOf } from "../event/index.ts";
import { type AgentTurn, describing, newAgentTurn, type ToolCall } from "./agent-turn.ts";
import type { NodeState, RunState } from "./state.ts";

type AgentEvent = EventOf<"round.completed" | "tool.requested" | "tool.decided" | "tool.completed">;

export function applyAgent(node: NodeState, event: AgentEvent): void {
  const turn = (node.turn ??= event.payload.carried === true ? newAgentTurn() : begunBefore(node));
  // What may be sent again without end is a request that never gets anywhere.
  if (event.type === "round.completed") node.calls = 0;
  foldTurn(turn, event, isAtWork(node));
}

/** What is carried over of an instance stands ready until its node has expanded. */
export function applyAgentBeforeExpansion({ carriedTurns }: RunState, event: AgentEvent): void {
  const { nodeId } = event.payload;
  const turn = carriedTurns.get(nodeId) ?? newAgentTurn();
  carriedTurns.set(nodeId, turn);
  foldTurn(turn, event, false);
}

/** `isUnderWay`: an execution of the attempt is at work. */
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
      // Who knows what came of it need not be asked any more.
      if (call.ruling.kind === "hold" || call.ruling.kind === "child") {
        const isChanged = call.ruling.kind === "child" && call.ruling.isChanged;
        call.ruling = { kind: "allow", isChanged, execution: turn.executions };
      }
      return;
    }
  }
}

/** Its attempt began before there was anything to say of a turn. */
function begunBefore(node: NodeState): AgentTurn {
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
  const { disposition, args, approvalId, reason = "", code = null, isOther, argsDigest = null } = payload;
  if (isOther === true) {
    call.otherDigest = argsDigest;
    return;
  }
  switch (disposition) {
    case "allow": {
      const wasHeld = call.ruling.kind === "hold";
      // An execution that is under way may make what was held: it waits for the answer, or asks once more.
      const execution = wasHeld && !isUnderWay ? turn.executions + 1 : turn.executions;
      call.ruling = { kind: "allow", isChanged: args !== undefined, execution };
      if (args !== undefined) call.args = args;
      return;
    }
    case "deny":
      call.ruling = { kind: "deny", reason, code };
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

/** The call is made as a run of its own. */
export function beginChildCall({ turn }: NodeState, callId: string, childRunId: string): void {
  const call = callOf(required(turn, "a call belongs to a turn"), callId);
  call.ruling = { kind: "child", childRunId, isChanged: call.ruling.kind === "allow" && call.ruling.isChanged };
}

function callOf({ calls }: AgentTurn, callId: string): ToolCall {
  return required(calls.get(callId), "a call that is decided was requested");
}

/** An execution begins: of a new attempt, or of one that was paused. */
export function beginExecution(node: NodeState, segment: number | undefined): void {
  const { turn } = node;
  if (turn === null) return;
  turn.executions += 1;
  if (segment === undefined) turn.ranMs = 0;
  turn.segment = segment ?? 0;
  turn.paused = null;
}

/** The execution has ended, and its attempt has not. */
export function pauseExecution(node: NodeState, at: number, how: NonNullable<AgentTurn["paused"]>): void {
  const turn = (node.turn ??= begunBefore(node));
  if (node.now.status === "running" || node.now.status === "streaming")
    turn.ranMs += Math.max(0, at - node.now.startedAt);
  turn.paused = how;
  if (how === "suspended") passOn(turn);
}

/** An execution that suspends has reported all it has made: what is allowed besides is for the next one. */
function passOn({ calls, executions }: AgentTurn): void {
  for (const call of calls.values()) {
    if (call.ruling.kind === "allow" && call.result === null)
      call.ruling = { ...call.ruling, execution: executions + 1 };
  }
}
