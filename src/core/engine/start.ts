import { LIMITS } from "../base/index.ts";
import type { EventPayload } from "../event/index.ts";
import { windDown } from "./ending.ts";
import { carryTurn } from "./carried-turn.ts";
import type { Carried, CarriedResult, StartInput } from "./input.ts";
import { findNode } from "./move.ts";
import { onPause } from "./pausing.ts";
import { placeOf, settlePlace } from "./places.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState } from "./state.ts";
import type { BlockRun } from "./block-state.ts";
import { about, emit, setTimer, type Turn } from "./turn.ts";

/** Handles the first commit of a run: every node is queued, waits, or is carried over from another run. */
export function onStart(turn: Turn, input: StartInput): Refusal | undefined {
  const { state } = turn;
  // A run that waits for a place still has the status queued.
  if (state.startedAt !== null || state.status !== "queued")
    return refuse("already_started", "the run has started before");
  const from = state.status;
  emit(turn, "run.started", startFacts(turn, input));
  if (state.status !== from) emit(turn, "run.status.changed", { from, to: state.status, epoch: state.epoch });
  if (input.paused !== undefined) pauseWithParent(turn, input.paused);
  armRunTimeout(turn);
  // A carried turn is recorded before its node begins.
  for (const one of input.carried ?? []) if (one.status === "turn") carryTurn(turn, one);
  const results = (input.carried ?? []).filter((one) => one.status === "completed" || one.status === "skipped");
  const carried = new Map(results.map((result) => [result.nodeId, result]));
  // In plan order, so that a node's carried parents are settled before the node is decided.
  for (const planNode of state.plan.nodes) {
    const node = state.nodes[planNode.index];
    if (node !== undefined) placeNode(turn, node, carried.get(node.id));
    carried.delete(planNode.id);
  }
  for (const instance of carried.values()) carry(turn, instance);
  if (state.hops >= LIMITS.eventChainRunsMax && state.parentRunId === null) endLoop(turn);
  else settlePlace(turn, input);
  return undefined;
}

function startFacts({ state }: Turn, input: StartInput): EventPayload<"run.started"> {
  const { workflow, version, hash, args, trigger, parentRunId, sourceRunId, recursionDepth, inputsFrom } = input;
  const { placement, handoffs, root, hops, block, owner } = input;
  const blocks = blocksOf(input.carried ?? []);
  const prompts = promptsOf(input.carried ?? []);
  return {
    workflow,
    version,
    hash,
    args,
    nodeCount: state.plan.nodes.length,
    trigger,
    recursionDepth,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(sourceRunId === undefined ? {} : { sourceRunId }),
    ...(inputsFrom === undefined ? {} : { inputsFrom }),
    ...(handoffs === undefined ? {} : { handoffs }),
    ...(placement === undefined ? {} : { placement }),
    ...(input.startedBy === undefined ? {} : { startedBy: input.startedBy }),
    ...(root === undefined ? {} : { root }),
    ...(input.labels === undefined ? {} : { labels: { ...input.labels } }),
    ...(hops === undefined || hops === 0 ? {} : { hops }),
    ...placeOf(state, input),
    ...(input.priority === undefined || input.priority === "normal" ? {} : { priority: input.priority }),
    ...(block === undefined ? {} : { block }),
    ...(owner === undefined ? {} : { owner }),
    ...(input.taken === undefined ? {} : { taken: [...input.taken] }),
    ...(blocks.length === 0 ? {} : { blocks: Object.fromEntries(blocks) }),
    ...(prompts.length === 0 ? {} : { prompts: Object.fromEntries(prompts) }),
  };
}

function pauseWithParent(turn: Turn, { by, reason }: NonNullable<StartInput["paused"]>): void {
  const said = { ...(by === null ? {} : { by }), ...(reason === null ? {} : { reason }) };
  onPause(turn, { type: "pause", ...said, isByParent: true });
}

function blocksOf(carried: readonly Carried[]): readonly (readonly [string, BlockRun])[] {
  return carried.flatMap((one) =>
    one.status === "open" ? [[one.nodeId, { runId: one.runId, block: one.block }] as const] : [],
  );
}

function promptsOf(carried: readonly Carried[]) {
  return carried.flatMap((one) => {
    if (one.status !== "prompt") return [];
    const { nodeId, text, by } = one;
    return [[nodeId, { text, ...(by === undefined ? {} : { by }) }] as const];
  });
}

/**
 * Ends a run that continues an endless chain of runs started by events. Its child runs are its `finally`, which must
 * still run; the events that it sends start nothing (`EventStarter`).
 */
function endLoop(turn: Turn): void {
  const max = LIMITS.eventChainRunsMax;
  const reason = `${turn.state.hops} runs before this one have started one another by events, the limit is ${max}`;
  windDown(turn, { as: "failed", reason, errorCode: "event_loop", failed: null, isFailFast: true });
}

export function armRunTimeout(turn: Turn): void {
  const { epoch, plan } = turn.state;
  if (plan.timeoutMs !== null) setTimer(turn, { kind: "run", epoch }, turn.at + plan.timeoutMs);
}

function placeNode(turn: Turn, node: NodeState, carried: CarriedResult | undefined): void {
  if (carried !== undefined) carry(turn, carried);
  else if (node.unsettledParents > 0) emit(turn, "node.waiting", { ...about(node), waitingReason: "dependency" });
  else if (turn.state.place?.standing === "waiting")
    emit(turn, "node.waiting", { ...about(node), waitingReason: "concurrency" });
  else turn.toDecide.push(node.index);
}

function carry(turn: Turn, result: CarriedResult): void {
  const { nodeId } = result;
  const counted = result.counted === undefined ? {} : { counted: [...result.counted] };
  const isKnown = findNode(turn.state, nodeId) !== undefined;
  if (result.status === "skipped") {
    if (isKnown) emit(turn, "node.skipped", { nodeId, reason: result.reason, carried: true, ...counted });
    return;
  }
  const { outputs, envelope, by } = result;
  const given = by === undefined ? {} : { by };
  const nothing = { durationMs: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 };
  emit(turn, "node.completed", { nodeId, envelope, outputs, ...nothing, carried: true, ...given, ...counted });
}
