/** Handles the turn of an agent: a round is recorded, the next one is budgeted, and each tool call is judged, all in one commit. */
import { digestJson, type Json, sameJson } from "../base/index.ts";
import { ANYONE } from "../definition/index.ts";
import { type AskedCall, isCallIdOf, isSettled, isTerminal } from "../event/index.ts";
import { type AgentRound, ARGS_CHANGED, callIdOf, contextTokensOf, isSameCall, type ToolCall } from "./agent-turn.ts";
import { repeatKey } from "./apply-agent.ts";
import { ask, digestQuestion } from "./approvals.ts";
import { continueLost } from "./continuing.ts";
import { recordCost } from "./cost.ts";
import { cancelReason, stopAttempt } from "./ending.ts";
import type {
  Execution,
  RequestToolVerdict,
  RoundInput,
  RoundVerdict,
  RoundVerdictInput,
  ToolCallInput,
  ToolResultInput,
} from "./input.ts";
import { findNode, isExecutionOpen, planNodeOf } from "./move.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState } from "./state.ts";
import { titleOf } from "./subject-text.ts";
import { withdrawQuestion } from "./tool-answer.ts";
import { about, emit, log, perform, type Turn } from "./turn.ts";

/** Handles the answer of a model. A known answer changes nothing; for an ended execution only the cost counts. */
export function onRound(turn: Turn, input: RoundInput): Refusal | undefined {
  const node = reportedNode(turn, input);
  if (node === undefined) return unknownDispatch(input);
  const { attempt, segment = 0, round, calls } = input;
  const isOpen = isExecutionOpen(turn.state, node, input);
  const known = node.turn?.rounds.length ?? 0;
  if (isOpen && isOtherAnswer(node.turn?.rounds[round], input)) return continueKept(turn, node, input);
  if (!isOpen || round < known) {
    const isCosted = node.costedRounds.has(`${attempt}/${segment}/${round}`);
    if (!isCosted) recordCost(turn, node, attempt, { ...input, segment }, { isLate: true, isAlways: true });
    return undefined;
  }
  if (round > known) return refuse("round_out_of_order", `round ${round} follows round ${known - 1}`);
  const { tokens, costMicros, finish, text, message, model = null } = input;
  emit(turn, "round.completed", {
    ...about(node),
    segment,
    round,
    model,
    inputTokens: tokens.inputTokens,
    outputTokens: tokens.outputTokens,
    costMicros,
    finish,
    text,
    message,
    calls: [...calls],
  });
  recordCost(turn, node, attempt, { ...input, segment }, { isLate: false, isAlways: true });
  for (const warning of input.warnings ?? []) log(turn, node, warning);
  if (calls.length > 0 || finish === "tool_calls") requestRound(turn, node);
  return undefined;
}

/** True when a restart of the same execution queried the model again. Messages are not compared, since each sealing differs. */
function isOtherAnswer(kept: AgentRound | undefined, { text, calls }: RoundInput): boolean {
  return kept !== undefined && (kept.text !== text || !sameJson(kept.calls as Json, calls as Json));
}

/** The rulings are about the calls of the stored answer. A further execution makes those calls, and this one makes none. */
function continueKept(turn: Turn, node: NodeState, input: RoundInput): undefined {
  const { attempt, segment = 0 } = input;
  recordCost(turn, node, attempt, { ...input, segment }, { isLate: true, isAlways: true });
  stopAttempt(turn, node);
  continueLost(turn, node, segment);
}

function reportedNode({ state }: Turn, { nodeId, attempt }: Execution): NodeState | undefined {
  const node = findNode(state, nodeId);
  return node === undefined || attempt < 1 || attempt > node.attempts ? undefined : node;
}

function unknownDispatch({ nodeId, attempt }: Execution): Refusal {
  return refuse("unknown_dispatch", `${nodeId} has no attempt ${attempt}`);
}

/** Requests the next round, for a model that requested tools. */
function requestRound(turn: Turn, node: NodeState): void {
  const { turn: own } = node;
  const open = openExecution(node);
  if (open === null || own === null) return;
  turn.state.askedRounds.add(node.index);
  perform(turn, {
    type: "request-round-verdict",
    nodeId: node.id,
    epoch: node.epoch,
    attempt: open.attempt,
    rounds: own.rounds.length,
    extraRounds: own.extraRounds,
    contextTokens: contextTokensOf(own),
    route: open.route,
    hints: planNodeOf(turn.state, node).request,
  });
}

function openExecution({ now }: NodeState) {
  if (now.status !== "running" && now.status !== "streaming") return null;
  const { attempt, segment, route } = now;
  return route === null ? null : { attempt, segment, route };
}

export function onRoundVerdict(turn: Turn, { nodeId, epoch, verdict }: RoundVerdictInput): Refusal | undefined {
  const node = findNode(turn.state, nodeId);
  if (node === undefined || !turn.state.askedRounds.delete(node.index) || node.epoch !== epoch) {
    return refuse("verdict_not_asked", `${nodeId} did not ask for a verdict`);
  }
  if (verdict.disposition === "go") requestCalls(turn, node);
  else if (turn.state.ending === null) stopTurn(turn, node, verdict);
  else {
    stopAttempt(turn, node);
    emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(turn.state) });
  }
  return undefined;
}

type Stop = Omit<Extract<RoundVerdict, { disposition: "stop" }>, "disposition">;

/** Stops the agent's turn: its work so far is kept, nothing is reserved, and a person decides. */
export function stopTurn(turn: Turn, node: NodeState, { gate, code, message, verdictId }: Stop): void {
  const open = openExecution(node);
  emit(turn, "gate.decided", { ...about(node), disposition: "block", gate, code, verdictId });
  const approvalId = ask(turn, node, {
    source: "escalation",
    title: `${titleOf(turn.state, node)} was stopped`,
    summary: message,
    choices: ["retry", "abort"],
    rule: planNodeOf(turn.state, node).askRule ?? ANYONE,
    agentId: node.agentId,
    policies: [],
    rendered: message,
    digest: digestQuestion(node, { code, round: node.turn?.rounds.length ?? 0, attempt: node.attempts }),
    request: null,
    inputs: {},
    facts: null,
  });
  // A turn that has not started again keeps what its last execution left.
  const segment = open === null ? {} : { segment: open.segment };
  const blocked = { waitingReason: "human_input", approvalId, code, ...segment } as const;
  emit(turn, "node.blocked", { ...about(node), ...blocked, errorCode: code, errorMessage: message });
}

/** Requests the verdicts for all calls of a round together. */
function requestCalls(turn: Turn, node: NodeState): void {
  const { rounds = [] } = node.turn ?? {};
  const round = rounds.length - 1;
  for (const [position, call] of (rounds.at(-1)?.calls ?? []).entries()) {
    requestCall(turn, node, call, { callId: callIdOf(turn.state, node, round, position), round, waits: false });
  }
}

interface Asking {
  readonly callId: string;
  readonly round: number;
  readonly waits: boolean;
}

function requestCall(turn: Turn, node: NodeState, call: AskedCall, { callId, round, waits }: Asking): void {
  const request = verdictRequest(turn, node, call, callId, round);
  if (request === null) return;
  turn.state.askedCalls.set(callId, { request, waits, answer: null });
  perform(turn, request);
}

/** Returns the verdict request for a call. Null when no attempt of its node has ever begun. */
export function verdictRequest(
  turn: Turn,
  node: NodeState,
  call: AskedCall,
  callId: string,
  round: number,
): RequestToolVerdict | null {
  const { askedCalls } = turn.state;
  const route = openExecution(node)?.route ?? node.routes[node.attempts - 1];
  if (route === undefined) return null;
  const argsDigest = digestJson(call.args);
  const others = [...askedCalls.values()].filter(({ request }) => request.nodeId === node.id);
  const same = others.filter(({ request }) => request.argsDigest === argsDigest && request.call.tool === call.tool);
  return {
    type: "request-tool-verdict",
    nodeId: node.id,
    epoch: node.epoch,
    attempt: node.attempts,
    callId,
    round,
    call,
    argsDigest,
    callsBefore: (node.turn?.calls.size ?? 0) + others.length,
    repeatsBefore: (node.turn?.repeats.get(repeatKey(call.tool, argsDigest)) ?? 0) + same.length,
    isApproved: false,
    route,
    hints: planNodeOf(turn.state, node).request,
  };
}

/** Handles a single call. It is judged once, and a second request gets the same answer. */
export function onToolCall(turn: Turn, input: ToolCallInput): Refusal | undefined {
  const node = reportedNode(turn, input);
  if (node === undefined) return unknownDispatch(input);
  if (!isExecutionOpen(turn.state, node, input)) return refuse("attempt_over", `${node.id} does not run any more`);
  const { callId, call, warnings = [] } = input;
  const known = node.turn?.calls.get(callId);
  if (known !== undefined) {
    if (!isSameCall(known, call)) refuseOther(turn, node, known, call);
    return undefined;
  }
  if (!isCallIdOf(`${turn.state.runId}/${node.id}/${node.epoch}`, callId)) {
    const expected = callIdOf(turn.state, node, 0, 0).replace(/0\/0$/u, "ROUND/POSITION");
    return refuse("wrong_call_id", `the id of a call of this turn is ${expected}, each counted from 0`);
  }
  requestCall(turn, node, call, input);
  for (const warning of warnings) log(turn, node, warning);
  return undefined;
}

/** A ruling applies to one call id and one digest. A repeated request with the same other args adds no event. */
function refuseOther(turn: Turn, node: NodeState, { id: callId, otherDigest }: ToolCall, { args }: AskedCall): void {
  const argsDigest = digestJson(args);
  if (argsDigest === otherDigest) return;
  const refused = { disposition: "deny", verdictId: null, ...ARGS_CHANGED, argsDigest, isOther: true } as const;
  emit(turn, "tool.decided", { ...about(node), callId, ...refused });
}

/** Handles the result of a call. It counts whichever execution reports it, because the call must not be made again. */
export function onToolResult(turn: Turn, input: ToolResultInput): Refusal | undefined {
  const node = reportedNode(turn, input);
  if (node === undefined) return unknownDispatch(input);
  const { callId, result, isError, durationMs } = input;
  const call = node.turn?.calls.get(callId);
  if (call === undefined) return refuse("unknown_call", `${node.id} has asked for no call ${callId}`);
  const isMade = call.ruling.kind === "allow" || (call.ruling.kind === "hold" && call.ruling.isUnknown);
  if (!isMade) return refuse("call_not_allowed", `the call of ${call.tool} was not allowed`);
  if (call.result !== null || isTerminal(turn.state.status) || isSettled(node.now.status)) return undefined;
  const { ruling } = call;
  emit(turn, "tool.completed", { ...about(node), callId, result, isError, durationMs });
  for (const warning of input.warnings ?? []) log(turn, node, warning);
  if (ruling.kind === "hold") withdrawQuestion(turn, node, ruling.approvalId);
  return undefined;
}
