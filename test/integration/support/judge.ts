import { LIMITS } from "../../../src/core/base/index.ts";
import type { EventOf, RunEvent } from "../../../src/core/event/index.ts";
import type { Plan, PlanNode } from "../../../src/core/plan/index.ts";
import { eventOfFrame, type EventFrame } from "../../../src/core/view/index.ts";
import { Suite, Violation } from "../../simulation/checkers/index.ts";
import {
  cancelledNeverRuns,
  deltasIncrease,
  idsCount,
  skippedNeverRuns,
} from "../../simulation/checkers/dispatching.ts";
import { endsAsNodesSay } from "../../simulation/checkers/ending.ts";
import { eventsAreTakenOnce, momentsCome } from "../../simulation/checkers/happening.ts";
import { roundsFollow } from "../../simulation/checkers/repeating.ts";
import { finishedIsQuiet, oneOpenAttempt, settledStays } from "../../simulation/checkers/settling.ts";
import { instancesAddUp, parallelHolds } from "../../simulation/checkers/sharing.ts";
import { startsAfterParents } from "../../simulation/checkers/starting.ts";
import { movesAreInTable, payloadsFit } from "../../simulation/checkers/table.ts";
import type { Happening } from "../../simulation/world/happenings.ts";
import { createRun } from "../../simulation/world/run.ts";
import type { RunOnWire } from "./api.ts";
import type { Call } from "./ledger.ts";
import type { Sample } from "./workload.ts";

/** Everything that can be seen of a run from outside. */
export interface Witnessed {
  readonly sample: Sample;
  readonly run: RunOnWire;
  readonly frames: readonly EventFrame[];
  readonly calls: readonly Call[];
  /** Everything that was sent to any run, or emitted by one. */
  readonly sent?: readonly Happening[];
}

export interface JudgeOptions {
  /**
   * Between the commit that sends an attempt again and the call itself the result of the first call may arrive, when
   * another replica still lives: then a call that was decided before the result is seen after it, by as much.
   */
  readonly overlapMs: number;
  /** By how much the clocks of the processes that keep the ledger may be wrong; default: 0. */
  readonly clockErrorMs?: number;
  /** How often one sending may reach the adapter, when its caller is another process that may be killed. */
  readonly callsPerSend?: number;
  /** Beside what kills can do to any node: failures that a bad network may bring about. */
  readonly mayFailWith?: ReadonlySet<string>;
}

/** The checkers of the simulator that need nothing but a plan and a log. */
const LOG_CHECKERS = [
  startsAfterParents,
  settledStays,
  oneOpenAttempt,
  finishedIsQuiet,
  skippedNeverRuns,
  cancelledNeverRuns,
  idsCount,
  deltasIncrease,
  movesAreInTable,
  payloadsFit,
  endsAsNodesSay,
  parallelHolds,
  instancesAddUp,
  roundsFollow,
  momentsCome,
  eventsAreTakenOnce,
];

/** What is wrong with a run that should have ended; nothing, if all is well. */
export function judgeRun(witnessed: Witnessed, options: JudgeOptions): readonly string[] {
  const { run, frames } = witnessed;
  const events: RunEvent[] = [];
  for (const frame of frames) {
    const event = eventOfFrame(frame);
    if (event === null) return [`${run.id}: event ${frame.eventId} has no moment`];
    events.push(event);
  }
  const found = [
    ...judgeLog(witnessed, events),
    ...judgeEnd(witnessed, events, options),
    ...judgeCalls(witnessed, events, options),
  ];
  return found.map((message) => `${run.workflow} ${run.id}: ${message}`);
}

function judgeLog({ sample, run, frames, sent = [] }: Witnessed, events: readonly RunEvent[]): readonly string[] {
  const suite = new Suite(LOG_CHECKERS, 0, []);
  suite.connect({ agents: new Map(), runs: new Map(), happenings: sent, costOf: () => 0, holds: () => false });
  const { name, plan, source: text } = sample;
  const workflow = {
    name,
    text,
    plan,
    oracle: { conditions: new Map(), edges: new Map() },
    blocks: new Map(),
    isBlock: false,
  };
  const seen = createRun({ runId: run.id, workflow, args: {}, path: run.id, parent: null, recursionDepth: 0 });
  const found: string[] = [];
  try {
    for (const event of events) {
      const input = { ...seen.start, at: event.at, jitter: 0 };
      suite.observe(seen, [{ input, events: [event], effects: [], refusal: undefined }]);
    }
  } catch (thrown) {
    if (!(thrown instanceof Violation)) throw thrown;
    found.push(thrown.message);
  }
  if (frames.some((frame) => frame.sequence !== frame.eventId || frame.runId !== run.id)) found.push("a foreign frame");
  for (const event of events)
    if (isEarlyTimeout(event, events)) found.push(`event ${event.eventId} is before its deadline`);
  const earlier = events.findIndex((event, index) => event.at < (events[index - 1]?.at ?? 0));
  if (earlier >= 0) found.push(`event ${earlier + 1} is earlier than the one before`);
  return found;
}

function isEarlyTimeout({ type, payload, at }: RunEvent, events: readonly RunEvent[]): boolean {
  if (type !== "node.timed_out") return false;
  return events.some(
    (event) =>
      event.type === "node.started" &&
      event.payload.nodeId === payload.nodeId &&
      event.payload.attempt === payload.attempt &&
      at < (event.payload.deadlineAt ?? 0),
  );
}

const ENDS: ReadonlySet<string> = new Set(["run.completed", "run.failed", "run.cancelled", "run.timed_out"]);

function judgeEnd(
  { sample, run }: Witnessed,
  events: readonly RunEvent[],
  { mayFailWith }: JudgeOptions,
): readonly string[] {
  const ends = events.filter(({ type }) => ENDS.has(type));
  const [end] = ends;
  if (ends.length !== 1 || end === undefined) return [`has ${ends.length} ends`];
  if (end.type !== `run.${run.status}`) return [`ended by ${end.type}, and is shown as ${run.status}`];
  if (run.lastEventId !== events.length) return [`says ${run.lastEventId} events, and has ${events.length}`];
  if (end.type === "run.completed") return [];
  const causes = events.filter(isFailure);
  const isExcused = (cause: FailureEvent): boolean =>
    isForced(cause, sample, events) || mayFailWith?.has(cause.payload.errorCode) === true;
  if (end.type === "run.failed" && causes.some(isExcused)) return [];
  return [`ended by ${end.type}: ${causes.map(describeFailure).join(", ")}`];
}

type FailureEvent = EventOf<"node.failed"> | EventOf<"node.timed_out">;

function describeFailure({ payload }: FailureEvent): string {
  return `${payload.errorCode} of ${payload.nodeId} (${payload.errorMessage})`;
}

function isFailure(event: RunEvent): event is FailureEvent {
  return event.type === "node.failed" || event.type === "node.timed_out";
}

/** Nothing in the samples ends a run by itself; only kills can make a node give up, and only in these ways. */
function isForced({ payload }: FailureEvent, { plan }: Sample, events: readonly RunEvent[]): boolean {
  if (payload.errorCode === "outcome_unknown") return onceNodes(plan).includes(payload.nodeId);
  // The run of the block is judged by itself.
  if (isBlock(nodeIn(plan, payload.nodeId))) return true;
  const sent = events.filter((event) => isSending(event) && event.payload.nodeId === payload.nodeId).length;
  return sent >= LIMITS.callsPerNodeMax;
}

/** Nodes that may be executed at most once, ever. */
function onceNodes({ nodes }: Plan): readonly string[] {
  return nodes.filter(({ effects }) => effects === "at_most_once").map(({ id }) => id);
}

const RESEND = "dispatch sent again";

function isSending(event: RunEvent): event is EventOf<"node.started"> | EventOf<"node.log"> {
  return event.type === "node.started" || (event.type === "node.log" && event.payload.message === RESEND);
}

interface Attempt {
  readonly id: string;
  readonly startedAt: number;
  resends: number;
  completedAt: number | null;
}

function nodeIn({ nodes, indexById }: Plan, nodeId: string): PlanNode | undefined {
  return nodes[indexById.get(nodeId.replace(/\[\d+\]$/u, "")) ?? -1];
}

function isBlock(node: PlanNode | undefined): boolean {
  return node !== undefined && (node.child !== null || node.choose !== null);
}

/** Blocks are runs of their own, and files are copied by a program: neither is in the ledger. */
function isInLedger({ plan }: Sample, nodeId: string): boolean {
  const node = nodeIn(plan, nodeId);
  return !isBlock(node) && node?.request.provider !== "process";
}

/** Attempts as the log has them, by dispatch id. */
function attemptsOf({ sample, run }: Witnessed, events: readonly RunEvent[]): ReadonlyMap<string, Attempt> {
  const attempts = new Map<string, Attempt>();
  for (const { type, payload, at } of events) {
    if (!("nodeId" in payload) || payload.attempt === undefined) continue;
    const { nodeId } = payload;
    const id = `${run.id}/${nodeId}/${payload.attempt}`;
    if (type === "node.started" && isInLedger(sample, nodeId))
      attempts.set(id, { id, startedAt: at, resends: 0, completedAt: null });
    const attempt = attempts.get(id);
    if (attempt === undefined) continue;
    if (type === "node.completed") attempt.completedAt = at;
    if (type === "node.log" && "message" in payload && payload.message === RESEND) attempt.resends += 1;
  }
  return attempts;
}

/** The adapter's own record against the log: no call without a committed reason, no result without a call. */
function judgeCalls(witnessed: Witnessed, events: readonly RunEvent[], options: JudgeOptions): string[] {
  const found: string[] = [];
  const { sample, run, calls } = witnessed;
  const attempts = attemptsOf(witnessed, events);
  const { clockErrorMs: errorMs = 0 } = options;
  for (const call of calls) {
    const attempt = attempts.get(call.dispatchId);
    if (call.dispatchId !== `${run.id}/${call.node}/${call.attempt}`) found.push(`strange id ${call.dispatchId}`);
    if (call.idempotencyKey !== `${run.id}/${call.node}/0`) found.push(`unstable key ${call.idempotencyKey}`);
    if (attempt === undefined) found.push(`${call.dispatchId} was called and never started`);
    else if (call.at < attempt.startedAt - errorMs)
      found.push(`${call.dispatchId} was called ${attempt.startedAt - call.at} ms before it started`);
  }
  for (const attempt of attempts.values()) {
    const made = calls.filter(({ dispatchId }) => dispatchId === attempt.id);
    if (made.length > (1 + attempt.resends) * (options.callsPerSend ?? 1)) {
      found.push(`${attempt.id} was called ${made.length} times and sent again ${attempt.resends} times`);
    }
    if (attempt.completedAt === null) continue;
    const { completedAt } = attempt;
    if (!made.some(({ at }) => at <= completedAt + errorMs)) found.push(`${attempt.id} completed without a call`);
    const grace = (attempt.resends > 0 ? options.overlapMs : 0) + errorMs;
    const late = made.find(({ at }) => at > completedAt + grace);
    if (late !== undefined) found.push(`${attempt.id} was called ${late.at - completedAt} ms after its completion`);
  }
  for (const nodeId of onceNodes(sample.plan)) {
    const made = calls.filter(({ node }) => node === nodeId).length;
    if (made > 1) found.push(`${nodeId} may be executed once and was executed ${made} times`);
  }
  return found;
}
