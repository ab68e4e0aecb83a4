import { type ChildTimer, type Effect, findNode, isTimerStale, type Timer } from "../../core/engine/index.ts";
import { attemptKey, type AttemptKey, isRunEnding, isTerminal, type RunEvent } from "../../core/event/index.ts";
import {
  type AttemptReport,
  type OpenAttempt,
  type PlaceChange,
  type Reservation,
  type RunCommit,
  type RunRecord,
  UNNAMED_QUEUE,
  type NodeWait,
} from "../../store/index.ts";
import {
  type AboutRun,
  type Admission,
  type Judge,
  type QueuePlace,
  type RulingRecord,
  slotChangesOf,
  type TurnTaking,
} from "../../governance/index.ts";
import { entriesOfEvents } from "../../core/audit/index.ts";
import { required } from "../../core/base/index.ts";
import { FINALLY } from "../../core/plan/index.ts";
import { approvalChanges, approvalRecord } from "./approval-changes.ts";
import type { CommitFacts } from "./commit-facts.ts";
import { deriveHead, isReindexed } from "./derive-head.ts";
import { deriveEvents } from "./derive-events.ts";
import { filesOfEvents } from "./file-references.ts";
import { workOf } from "./function-attempts.ts";
import type { DrivenRun } from "./driven-run.ts";

/** The decisions for one run in this batch before they are written. */
export interface Decided {
  readonly live: DrivenRun;
  readonly facts: CommitFacts;
  readonly effects: readonly Effect[];
  /** Timers that were submitted and are therefore done. */
  readonly firedTimers: readonly Timer[];
  /** Logs and messages that attempts reported besides their results. */
  readonly reports: readonly AttemptReport[];
  readonly about: AboutRun;
  readonly rulings: readonly RulingRecord[];
  /** Queue places of nodes that a gate made wait, by node. */
  readonly places: ReadonlyMap<string, QueuePlace>;
  /** Slots and money taken for attempts opened in this batch, by node and attempt. */
  readonly admissions: ReadonlyMap<string, Admission>;
  /** Rate-limit hits and reservations taken by turns in progress. */
  readonly inTurns: readonly TurnTaking[];
  readonly at: number;
  /** The place change that the run requests among the runs with its key. Null when it requests none. */
  readonly claimed: PlaceChange | null;
}

/** Converts decisions to rows: attempts opened and closed, timers, approvals, and the head of the run. */
export function deriveCommit(decided: Decided, replicaId: string, judge: Judge): RunCommit {
  const { live, facts, effects, rulings } = decided;
  const { events, usage, memories } = facts;
  const { state, run } = live;
  const head = deriveHead(live, events);
  return {
    runId: state.runId,
    orgId: run.orgId,
    expectedVersion: live.creating === null ? run.rowVersion : 0,
    create: live.creating,
    head,
    isReindexed: isReindexed(live, head, events),
    events,
    ...deriveAttempts(decided, replicaId),
    ...deriveTimers(decided),
    ...deriveWaits(decided, replicaId),
    ...deriveEvents(live, events, effects),
    parentTimer: parentTimer(decided),
    approvalsOpened: effects.flatMap((effect) =>
      effect.type === "open-approval" ? [approvalRecord(effect, run, state.runId)] : [],
    ),
    ...approvalChanges(events, state),
    reports: decided.reports,
    ...counterChanges(decided),
    usage,
    workflow: run.workflow,
    // Without an event, nodes that wait were only judged again, after another process took them over: their verdicts are recorded
    // already. Verdicts are stored under the first event of their commit.
    verdicts: events.length === 0 ? [] : rulings.flatMap(({ record }) => (record === null ? [] : [record])),
    audit:
      judge.settle === undefined ? [] : [...entriesOfEvents(run, events), ...rulings.flatMap(({ audit }) => audit)],
    memories,
    files: filesOfEvents(events),
    place: placeChange(decided),
  };
}

/** A run releases its place in the commit that ends it. A run that ends in its first commit never had one. */
function placeChange({ live, facts, claimed }: Decided): RunCommit["place"] {
  const { state, creating } = live;
  if (!isTerminal(state.status)) {
    const isHeld = claimed?.kind !== "hold" || state.place?.standing === "held";
    return isHeld ? claimed : null;
  }
  const hasPlace = creating === null && state.place !== null && state.place.standing !== "inherited";
  return hasPlace && hasEndedIn(facts.events) ? { kind: "release" } : null;
}

function counterChanges({ facts, inTurns }: Decided): Pick<RunCommit, "slots" | "ledger"> {
  const changes = facts.counterChanges();
  return inTurns.length === 0 ? changes : { ...changes, slots: [...changes.slots, ...slotChangesOf(inTurns)] };
}

function deriveAttempts(
  { live, facts, effects, admissions, at }: Decided,
  replicaId: string,
): Pick<RunCommit, "opened" | "closed"> {
  const opened = new Map<string, OpenAttempt>();
  for (const effect of effects) {
    if (effect.type !== "dispatch" || effect.isResend) continue;
    const { nodeId, attempt, timeoutMs } = effect;
    const deadlineAt = timeoutMs === null ? null : at + timeoutMs;
    const admission = admissions.get(attemptKey({ nodeId, attempt }));
    const reserved = reservationsOf(admission?.reserved ?? []);
    const agentId = admission?.agentId ?? null;
    const plain = { nodeId, attempt, replicaId, deadlineAt, agentId, reserved };
    const counted = admission?.parallel === undefined ? plain : { ...plain, parallelOf: admission.parallel.runId };
    const work = workOf(effect, live);
    opened.set(attemptKey(plain), work === undefined ? counted : { ...counted, work });
  }
  const closed: AttemptKey[] = [];
  for (const [nodeId, taken] of facts.reservedAnew()) {
    const open = live.openAttempts.get(nodeId);
    if (open === undefined) continue;
    const reserved = reservationsOf(taken);
    opened.set(attemptKey({ nodeId, attempt: open.attempt }), { ...open, nodeId, replicaId, reserved });
  }
  for (const [id, key] of facts.ended) {
    // An attempt that opens and ends in one batch is never written as a row.
    if (opened.delete(id)) continue;
    if (live.openAttempts.get(key.nodeId)?.attempt === key.attempt) closed.push(key);
  }
  return { opened: [...opened.values()], closed };
}

function reservationsOf(taken: readonly Reservation[]): readonly Reservation[] {
  return taken.map(({ envelopeId, periodStart, micros }) => ({ envelopeId, periodStart, micros }));
}

function deriveTimers({ live, facts, effects, firedTimers }: Decided): Pick<RunCommit, "timersSet" | "timersCleared"> {
  const { state, timers } = live;
  const { events } = facts;
  const isEnded = isTerminal(state.status);
  const dispatched = new Set<string>();
  const timersSet: { timer: Timer; dueAt: number }[] = [];
  const timersCleared: Timer[] = [...firedTimers.filter(isOfTimerTable), ...events.flatMap(timersOfChild)];
  for (const effect of effects) {
    if (effect.type === "dispatch") dispatched.add(`${effect.nodeId}/${effect.attempt}`);
    if (effect.type === "close-approval") timersCleared.push(...timers.of(effect.approvalId));
    if (effect.type !== "set-timer" || isEnded) continue;
    const { timer, dueAt } = effect;
    // The deadline of a dispatched attempt is in the row of the attempt.
    const isInAttempt = timer.kind === "attempt" && dispatched.has(`${timer.nodeId}/${timer.attempt}`);
    if (!isInAttempt && isOfTimerTable(timer) && !isTimerStale(state, timer)) timersSet.push({ timer, dueAt });
  }
  // The late cost of a child run must be processed even when the run has ended.
  if (isEnded) for (const timer of timers.all()) if (timer.kind !== "child-cost") timersCleared.push(timer);
  if (!isEnded) timersCleared.push(...staleTimers(live, events));
  return { timersSet, timersCleared: timersCleared.filter(isOfTimerTable) };
}

/** Returns stale timers. Only nodes with an event can have left one. */
function staleTimers({ state, timers }: DrivenRun, events: readonly RunEvent[]): readonly Timer[] {
  const stale: Timer[] = [];
  for (const { type, payload } of events) {
    if (type === "run.status.changed") stale.push(...timers.of(""));
    if ("nodeId" in payload && payload.nodeId !== undefined) stale.push(...timers.of(payload.nodeId));
  }
  return stale.filter((timer) => isTimerStale(state, timer));
}

/** The deadline of a node that waits at a gate is in the row of its queue place, not in the timer table. */
function isOfTimerTable({ kind }: Timer): boolean {
  return kind !== "queue";
}

/** The place of a node for which the judge named no queue. It belongs to this replica alone. */
const UNNAMED: QueuePlace = { queue: UNNAMED_QUEUE, rank: 0, isClaimed: true, isMoved: true };

/** Returns rows for nodes that now wait at a gate or changed their place, and the nodes that wait no more. */
function deriveWaits(decided: Decided, replicaId: string): Pick<RunCommit, "waits" | "waitsEnded"> {
  const { live, facts, effects, firedTimers, places } = decided;
  const moved = new Set<string>();
  for (const [nodeId, { isMoved }] of places) if (isMoved) moved.add(nodeId);
  for (const effect of effects) {
    if (effect.type === "set-timer" && effect.timer.kind === "queue") moved.add(effect.timer.nodeId);
  }
  const waits: NodeWait[] = [];
  for (const nodeId of moved) {
    const wait = waitOf(live, nodeId, places.get(nodeId) ?? UNNAMED, replicaId);
    if (wait !== undefined) waits.push(wait);
  }
  return { waits, waitsEnded: endedWaits(live, facts.events, firedTimers) };
}

/** Returns whether a node is in another queue than its row says. This alone requires a commit. */
export function hasWaitMoved({ places }: Pick<Decided, "places">): boolean {
  for (const { isMoved } of places.values()) if (isMoved) return true;
  return false;
}

/** Returns the deadline timer of a node that waits at a gate. */
export function queueTimerOf({ nodeId, since }: Pick<NodeWait, "nodeId" | "since">): Timer {
  return { kind: "queue", nodeId, limitedSince: since };
}

function waitOf({ state }: DrivenRun, nodeId: string, place: QueuePlace, replicaId: string): NodeWait | undefined {
  const node = findNode(state, nodeId);
  if (node?.now.status !== "queued" || !node.now.isLimited || isTerminal(state.status)) return undefined;
  const { limitedSince, patientUntil } = node.now;
  const since = required(limitedSince, "it waits at a gate");
  const { queueTimeoutMs } = required(state.plan.nodes[node.planIndex], "every node has its plan");
  const { queue, rank, isClaimed } = place;
  const dueAt = patientUntil ?? since + queueTimeoutMs;
  return { nodeId, queue, rank, since, dueAt, replicaId: isClaimed ? replicaId : null };
}

function endedWaits(
  { state, timers }: DrivenRun,
  events: readonly RunEvent[],
  firedTimers: readonly Timer[],
): string[] {
  const ended = new Set<string>();
  const look = (timer: Timer): void => {
    if (timer.kind === "queue" && (isTerminal(state.status) || isTimerStale(state, timer))) ended.add(timer.nodeId);
  };
  firedTimers.forEach(look);
  if (isTerminal(state.status)) for (const timer of timers.all()) look(timer);
  else
    for (const { payload } of events) {
      if ("nodeId" in payload && payload.nodeId !== undefined)
        for (const timer of timers.of(payload.nodeId)) look(timer);
    }
  return [...ended];
}

/** When a parent has not been notified within this time, the replica that finds the timer due notifies it. */
const INFORMED_WITHIN_MS = 3_000;

function parentTimer({ live, facts, at }: Decided): RunCommit["parentTimer"] {
  const { run, state } = live;
  const { events } = facts;
  if (!isTerminal(state.status) || events.length === 0) return null;
  return parentTimerOf(run, at, hasEndedIn(events) ? null : state.lastEventId);
}

/** Returns whether the run ended with these events. A run that had ended before can only add cost. */
export function hasEndedIn(events: readonly RunEvent[]): boolean {
  return events.some(isRunEnding);
}

/**
 * Returns the parent's timer for a child run. Null when no other run started it. Spending after its end, up to the event
 * `lateEventId`, is reported with a timer of its own, because the timer for an earlier event may be cleared at the same time.
 */
export function parentTimerOf(run: RunRecord, at: number, lateEventId: number | null): RunCommit["parentTimer"] {
  const { parentRunId, parentNode: nodeId, parentAttempt: attempt, runId: childRunId } = run;
  if (parentRunId === null || nodeId === null || attempt === null) return null;
  const child = { nodeId, attempt, childRunId };
  const timer: Timer =
    lateEventId === null ? { kind: "child", ...child } : { kind: "child-cost", ...child, eventId: lateEventId };
  return { runId: parentRunId, timer, dueAt: at + INFORMED_WITHIN_MS };
}

function endedChild(event: RunEvent): Omit<ChildTimer, "kind"> | null {
  if (event.type === "run.finally.ended") return { nodeId: FINALLY, attempt: 1, childRunId: event.payload.childRunId };
  if (event.type !== "child.finished") return null;
  const { nodeId, attempt = 0, childRunId } = event.payload;
  return { nodeId, attempt, childRunId };
}

/** Returns the timers to clear for a child run whose end is recorded. */
function timersOfChild(event: RunEvent): readonly Timer[] {
  const child = endedChild(event);
  if (child === null) return [];
  return [
    { kind: "child", ...child },
    { kind: "child-cancel", ...child },
  ];
}
