/**
 * `repeat`: a node runs in rounds, one after the other. Each round is an instance, created when the one before has
 * completed
 * and the condition did not hold. Only the newest round is read, whatever their number.
 */
import { LIMITS, required } from "../base/index.ts";
import type { Repeat } from "../definition/index.ts";
import { isSettled } from "../event/index.ts";
import { evaluateCondition, type ResolvePath, walk } from "../expression/index.ts";
import { outputDataOf } from "../outputs/index.ts";
import { instanceId } from "./create-state.ts";
import { cancelReason } from "./ending.ts";
import { failNode } from "./failing.ts";
import { findNode, nodeAt, planNodeOf } from "./move.ts";
import { completeNode, skipNode } from "./settle.ts";
import type { Completed, Expansion, NodeState, RunState } from "./state.ts";
import type { Timer } from "./timer.ts";
import { about, emit, setTimer, type Turn } from "./turn.ts";
import { resolverFor, withText } from "./value.ts";

/** Begins the first round, or continues after existing rounds. */
export function beginRounds(turn: Turn, node: NodeState): void {
  const count = Math.max(1, settledRounds(turn.state, node));
  if (!hasRoom(turn, node, 0)) return;
  const rounds = Array.from({ length: count }, (_, round) => round);
  const instanceIds = rounds.map((round) => instanceId(node.id, round));
  emit(turn, "node.expanded", { ...about(node), count, instanceIds, items: rounds, isRepeated: true });
  turn.toCollect.push(node.index);
}

/** Counts rounds that settled earlier or were carried over from another run. Counting ends at a round that did not complete. */
function settledRounds(state: RunState, node: NodeState): number {
  for (let round = 0; ; round += 1) {
    const id = instanceId(node.id, round);
    const status = findNode(state, id)?.now.status ?? "pending";
    if (status === "completed" || state.carriedInstances.has(id)) continue;
    return isSettled(status) ? round + 1 : round;
  }
}

function hasRoom(turn: Turn, node: NodeState, round: number): boolean {
  const { instanceIndexById } = turn.state;
  const isKnown = instanceIndexById.has(instanceId(node.id, round));
  if (isKnown || instanceIndexById.size < LIMITS.instancesPerRunMax) return true;
  const message = `repeat: the run has ${instanceIndexById.size} instances already and may have ${LIMITS.instancesPerRunMax}`;
  failNode(turn, node, { code: "too_many_items", message });
  return false;
}

/** Handles the newest round: it is to begin, or has settled. */
export function collectRounds(turn: Turn, node: NodeState, repeat: Repeat, expansion: Expansion): void {
  const round = nodeAt(turn.state, required(expansion.members.at(-1), "a repeated node has a round"));
  const { now } = round;
  switch (now.status) {
    case "pending":
      if (turn.state.ending === null) emit(turn, "node.queued", { ...about(round), waitingReason: "queued" });
      return;
    case "completed":
      return afterRound(turn, node, repeat, { round, result: now, count: expansion.members.length });
    case "failed":
    case "timed_out":
      return failNode(turn, node, { code: now.errorCode, message: `${round.id}: ${now.errorMessage}` });
    case "skipped":
      return skipNode(turn, node, now.reason);
    case "cancelled":
      emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(turn.state) });
      return;
    default:
      return;
  }
}

interface Ended {
  readonly round: NodeState;
  readonly result: Completed;
  readonly count: number;
}

function afterRound(turn: Turn, node: NodeState, repeat: Repeat, ended: Ended): void {
  const { round, result, count } = ended;
  const { body } = planNodeOf(turn.state, node);
  const resolve =
    body.kind === "step"
      ? resolverFor(turn.state, round, body, { self: withText(result.outputs, result.envelope.output) })
      : roundResolver(count - 1, result);
  const isDone = evaluateCondition(repeat.until.root, resolve);
  if (!isDone.ok) {
    return failNode(turn, node, { code: isDone.failure.code, message: `repeat.until: ${isDone.failure.message}` });
  }
  if (!isDone.value && count < repeat.max) return nextRound(turn, node, repeat, ended);
  if (!isDone.value && repeat.onExhausted === "fail") {
    const message = `${node.id} has had ${count} ${count === 1 ? "round" : "rounds"}, and this did not hold: ${repeat.until.text}`;
    return failNode(turn, node, { code: "repeat_exhausted", message });
  }
  emit(turn, "node.provenance", {
    ...about(node),
    sourceRunId: turn.state.runId,
    sourceNodeId: round.id,
    sourceOutputPath: "outputs",
    targetInputPath: "outputs",
    transform: "repeat",
  });
  const exhausted = repeat.onExhausted === "continue" ? { exhausted: !isDone.value } : {};
  completeNode(turn, node, { outputs: { ...result.outputs, rounds: count, ...exhausted }, envelope: result.envelope });
}

/** Returns the values of an ended round that the condition of a lens node can read. */
function roundResolver(round: number, { outputs, envelope }: Completed): ResolvePath {
  const facts = { outputs, output: envelope.output, data: outputDataOf(envelope, outputs), round };
  return ({ segments }) => walk(facts, segments);
}

/** `every` counts from the end of the round before. If that time has already passed, there is no pause. */
function nextRound(turn: Turn, node: NodeState, { everyMs }: Repeat, { result, count }: Ended): void {
  if (turn.state.ending !== null) {
    emit(turn, "node.cancelled", { ...about(node), reason: cancelReason(turn.state) });
    return;
  }
  if (!hasRoom(turn, node, count)) return;
  const id = instanceId(node.id, count);
  emit(turn, "node.round", { ...about(node), round: count, instanceId: id });
  const round = required(findNode(turn.state, id), "the round has been added");
  const until = everyMs === null ? turn.at : result.settledAt + everyMs;
  emit(turn, "node.queued", { ...about(round), waitingReason: "queued" });
  if (until <= turn.at) return;
  const eventId = emit(turn, "node.blocked", { ...about(round), waitingReason: "timer", until });
  setTimer(turn, { kind: "round", nodeId: node.id, round: count, eventId }, until);
}

type RoundTimer = Extract<Timer, { readonly kind: "round" }>;

/** Returns the round that waits for exactly this timer. */
export function roundOf(state: RunState, { nodeId, round, eventId }: RoundTimer): NodeState | undefined {
  const instance = findNode(state, instanceId(nodeId, round));
  return instance?.now.status === "blocked" && instance.now.eventId === eventId ? instance : undefined;
}

export function onRoundTimer(turn: Turn, timer: RoundTimer): void {
  const round = roundOf(turn.state, timer);
  if (round !== undefined) emit(turn, "node.queued", { ...about(round), waitingReason: "queued" });
}
