/** Takes a node from settled parents to a finished request: readiness, its own gate, its place in the queue, its inputs. */
import { invariant, LIMITS, required } from "../base/index.ts";
import { ANYONE, type ApprovalRule } from "../definition/index.ts";
import type { Duty, PlanNode, RequestHints } from "../plan/index.ts";
import { ask, digestQuestion, digestRequest } from "./approvals.ts";
import { bind, findingsOfElements } from "./bind.ts";
import { contextTokensOf } from "./agent-turn.ts";
import type { Binding, Findings } from "./binding.ts";
import { startChild } from "./children.ts";
import { nextExecution } from "./dispatching.ts";
import { UPSTREAM_FAILURE } from "./ending.ts";
import { endFailed, failNode, tooManyCalls } from "./failing.ts";
import type { BoundRequest } from "./effect.ts";
import { ownValues } from "./unsent.ts";
import { expandNode } from "./instances.ts";
import { decideJoin } from "./joining.ts";
import { isWaitingForPlace, laneAt, laneOf, nodeAt, planNodeOf } from "./move.ts";
import { isHeld } from "./pausing.ts";
import { decideReadiness } from "./readiness.ts";
import { beginRounds } from "./rounds.ts";
import { startScript } from "./scripting.ts";
import { agentOf, assignedMemberOf, isSent } from "./sending.ts";
import { completeGate, skipNode } from "./settle.ts";
import type { NodeState, RunState } from "./state.ts";
import { titleOf } from "./subject-text.ts";
import { filledRule } from "./filled-form.ts";
import { waitsForAnswers } from "./tool-answer.ts";
import { about, emit, isDecidable, log, perform, type Turn } from "./turn.ts";

/** Decides a node whose parents are all settled, or enough of them for its join: it is skipped, failed or queued. */
export function decideNode(turn: Turn, node: NodeState): void {
  const { status } = node.now;
  if (status !== "pending" && status !== "awaiting_dependency") return;
  if (turn.state.ending !== null || isWaitingForPlace(turn.state) || !isDecidable(turn.state, node)) return;
  const planNode = planNodeOf(turn.state, node);
  const { join } = planNode;
  const readiness =
    join === null ? decideReadiness(turn.state, node, planNode) : decideJoin(turn, node, planNode, join);
  switch (readiness.kind) {
    case "skip":
      return skipNode(turn, node, readiness.reason);
    case "upstream_failure":
      return endFailed(turn, node, UPSTREAM_FAILURE);
    case "expression_error":
      return failNode(turn, node, readiness.failure);
    case "run":
      if (join === null) emit(turn, "node.queued", { waitingReason: "queued", ...about(node) });
      return passOwnGate(turn, node, planNode);
  }
}

/** Opens the approval an author wrote on the step, before any other work. A node that is only a gate completes here. */
export function passOwnGate(turn: Turn, node: NodeState, planNode: PlanNode): void {
  const { approval } = planNode;
  if (approval !== null && node.instance === null && !node.isGateApproved)
    return askAtGate(turn, node, planNode, approval);
  if (planNode.kind === "gate") return completeGate(turn, node, true);
  if (node.instance !== null) return;
  if (planNode.repeat !== null) return beginRounds(turn, node);
  if (planNode.forEach === null) return;
  noteFindings(turn, node, findingsOfElements(turn.state, node));
  expandNode(turn, node, planNode.forEach);
}

function askAtGate(turn: Turn, node: NodeState, planNode: PlanNode, rule: ApprovalRule): void {
  const binding = planNode.forEach === null ? bind(turn.state, node) : null;
  const bound = binding?.kind === "bound" ? binding.request : null;
  const request = isSent(planNode) ? bound : null;
  const title = titleOf(turn.state, node);
  const approvalId = ask(turn, node, {
    source: "gate",
    title,
    summary: planNode.kind === "gate" ? `${title} waits for approval` : `${title} wants to run`,
    choices: ["approve", "reject"],
    rule: filledRule(turn.state, node, rule),
    agentId: agentOf(turn.state, node, planNode),
    policies: [],
    rendered: request?.message ?? title,
    digest: request === null ? digestQuestion(node, planNode.label) : digestRequest(node, request, []),
    request,
    inputs: (planNode.forEach === null ? ownValues(turn.state, node, planNode) : null) ?? bound?.inputs ?? {},
    facts: null,
  });
  emit(turn, "node.blocked", { ...about(node), waitingReason: "human_input", approvalId });
}

/** Requests ready nodes, oldest first, while the run has places. Each request is O(1). */
export function pump(turn: Turn): void {
  const { state } = turn;
  const { ready } = state;
  if (isHeld(turn)) return;
  requestFreeLanes(turn);
  while (ready.head < ready.entries.length && state.ending === null && hasPlace(turn)) {
    const { node: index, eventId } = required(ready.entries[ready.head], "the queue has a head");
    const node = nodeAt(state, index);
    ready.head += 1;
    if (isWaiting(node, eventId)) requestNode(turn, node);
  }
  compact(state);
}

function isWaiting({ now }: NodeState, eventId: number): boolean {
  return now.status === "queued" && now.eventId === eventId && !now.isLimited;
}

/** Requests the oldest nodes of each free lane. There are as many lanes as a team has, usually none. */
function requestFreeLanes(turn: Turn): void {
  const { state } = turn;
  for (const [number, { waiting }] of state.lanes) {
    while (waiting.length > 0 && state.ending === null && hasPlace(turn) && isLaneFree(state, number)) {
      const { node: index, eventId } = required(waiting.shift(), "a node waits");
      const node = nodeAt(state, index);
      if (isWaiting(node, eventId)) requestNode(turn, node);
    }
  }
}

/** A node whose verdict is outstanding also occupies its lane. */
export function isLaneFree(state: RunState, number: number): boolean {
  if (laneAt(state, number).inFlight > 0) return false;
  for (const index of state.asked.keys()) if (laneOf(state, nodeAt(state, index)) === number) return false;
  return true;
}

export function hasPlace({ state, countsBlocks }: Pick<Turn, "state" | "countsBlocks">): boolean {
  const { counts, expandedRunning, blocksRunning, asked, plan } = state;
  const elsewhere = expandedRunning + (countsBlocks ? blocksRunning : 0);
  return counts.running + counts.streaming - elsewhere + asked.size < plan.maxParallel;
}

/** Entries before the head are used up. They are dropped from time to time, so that the queue stays short. */
function compact({ ready }: RunState): void {
  if (ready.head < 1024 || ready.head * 2 < ready.entries.length) return;
  ready.entries.splice(0, ready.head);
  ready.head = 0;
}

/** Binds a node and requests a verdict, or starts its child run. */
export function requestNode(turn: Turn, node: NodeState): void {
  const planNode = planNodeOf(turn.state, node);
  if (node.turn !== null && waitsForAnswers(turn, node)) return;
  if (node.calls >= LIMITS.callsPerNodeMax) return failNode(turn, node, tooManyCalls(node));
  if (planNode.child !== null || planNode.choose !== null) return startChild(turn, node, planNode);
  if (planNode.duty !== null && !takeDuty(turn, node, planNode.duty)) return;
  const binding = bind(turn.state, node);
  switch (binding.kind) {
    case "unbound":
      return blockUnbound(turn, node, binding.missing);
    case "failed":
      if (binding.errors !== undefined) {
        emit(turn, "contract.violated", { ...about(node), phase: "input", errors: [...binding.errors] });
      }
      return failNode(turn, node, binding.failure);
    case "bound":
      if (planNode.work === null || planNode.work.kind === "function")
        return requestVerdict(turn, node, planNode, binding);
      noteFindings(turn, node, binding);
      return startScript(turn, node, planNode, binding);
  }
}

/** Records once which member takes the node, and why. Returns false when no member can and a person has to name one. */
function takeDuty(turn: Turn, node: NodeState, { team, candidates, considered }: Duty): boolean {
  if (node.assignedTo !== null) return true;
  const [first] = candidates;
  if (first === undefined) {
    const against = considered.map(({ agent, reasons }) => `${agent} ${reasons.join(", ")}`).join("; ");
    const summary = `no member of the team ${team} may take ${node.id}${against === "" ? "" : `: ${against}`}`;
    blockForPerson(turn, node, summary, UNASSIGNED, []);
    return false;
  }
  if (node.tries === 0 && node.now.status === "queued" && !node.now.isLimited) {
    emit(turn, "node.log", {
      ...about(node),
      level: "info",
      message: `${first.agent} of the team ${team} takes it: ${first.reasons.join(", ")}`,
      detail: { team, considered: considered.map((one) => ({ ...one, reasons: [...one.reasons] })) },
    });
  }
  return true;
}

function blockUnbound(turn: Turn, node: NodeState, missing: readonly string[]): void {
  blockForPerson(turn, node, `${node.id} has no value for ${missing.join(", ")}`, "placeholder_unbound", missing);
}

/** Code of a node that no agent may take. */
export const UNASSIGNED = "unassigned";

/** Blocks a node on a value or decision that only a person can give. The person may also skip or abort it. */
export function blockForPerson(
  turn: Turn,
  node: NodeState,
  summary: string,
  code: string,
  missing: readonly string[],
): void {
  const planNode = planNodeOf(turn.state, node);
  const { agent } = planNode.request;
  const approvalId = ask(turn, node, {
    source: "block",
    title: summary,
    summary,
    choices: ["skip", "abort"],
    rule: ANYONE,
    agentId: code === UNASSIGNED ? agent : agentOf(turn.state, node, planNode),
    policies: [],
    rendered: summary,
    digest: digestQuestion(node, { code, missing: [...missing] }),
    request: null,
    inputs: {},
    facts: null,
  });
  const listed = missing.length === 0 ? {} : { missing: [...missing] };
  emit(turn, "node.blocked", { ...about(node), waitingReason: "human_input", approvalId, code, ...listed });
}

/** With several models, the first is used until another has taken over. */
function hintsOf({ model }: NodeState, { request }: PlanNode): RequestHints {
  const [first] = request.models;
  return first === undefined ? request : { ...request, model: model ?? first };
}

function requestVerdict(
  turn: Turn,
  node: NodeState,
  planNode: PlanNode,
  binding: Extract<Binding, { kind: "bound" }>,
): void {
  const { state } = turn;
  invariant(!state.asked.has(node.index), `${node.id} is asked for once at a time`);
  noteFindings(turn, node, binding);
  state.asked.set(node.index, binding.request);
  perform(turn, {
    type: "request-verdict",
    nodeId: node.id,
    epoch: node.epoch,
    nextAttempt: nextExecution(node).attempt,
    request: binding.request,
    hints: hintsOf(node, planNode),
    moderation: planNode.body.kind === "lens" ? planNode.body.moderation : "off",
    grants: grantedPolicies(node, binding.request),
    assignedTo: assignedMemberOf(node, planNode),
    ...(node.turn === null || node.turn.rounds.length === 0 ? {} : { contextTokens: contextTokensOf(node.turn) }),
  });
}

/** Recorded once per epoch: the inputs of a node do not change within an epoch, however often it is tried. */
export function noteFindings(turn: Turn, node: NodeState, { handoffs, warnings }: Findings): void {
  if (node.hasFindings) return;
  for (const handoff of handoffs) {
    emit(turn, "node.provenance", { ...about(node), sourceRunId: turn.state.runId, ...handoff });
  }
  for (const warning of warnings) log(turn, node, warning);
}

const NO_GRANTS: readonly string[] = [];

/** Returns the policies a person has granted for exactly this request. Another text or input needs a new answer. */
function grantedPolicies(node: NodeState, request: BoundRequest): readonly string[] {
  if (node.grants.length === 0) return NO_GRANTS;
  const valid = node.grants.filter(({ digest, policies }) => digest === digestRequest(node, request, policies));
  return [...new Set(valid.flatMap(({ policies }) => policies))];
}
