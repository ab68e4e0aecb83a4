import type { Effect, OpenApproval, Timer } from "../../core/engine/index.ts";
import { isTerminal, type EventOf, type RunEvent } from "../../core/event/index.ts";
import type {
  ApprovalClosing,
  ApprovalRecord,
  AttemptKey,
  AttemptReport,
  OpenAttempt,
  RunCommit,
  RunRecord,
} from "../../store/index.ts";
import type { AboutRun, Admission, Judge, Ruling } from "../../governance/index.ts";
import { entriesOfEvents } from "../../core/audit/index.ts";
import { bookOf } from "./book-keeping.ts";
import { endedAttempt, keyOf } from "./ended-attempt.ts";
import type { LiveRun } from "./live-run.ts";
import { memoriesOf } from "./remembering.ts";

/** What one run decided in this batch, before it is written. */
export interface Decided {
  readonly live: LiveRun;
  readonly events: readonly RunEvent[];
  readonly effects: readonly Effect[];
  /** Timers that were told and are therefore done. */
  readonly toldTimers: readonly Timer[];
  /** What attempts said besides their results. */
  readonly reports: readonly AttemptReport[];
  readonly about: AboutRun;
  readonly rulings: readonly Ruling[];
  /** What was taken for attempts opened in this batch, by node and attempt. */
  readonly admissions: ReadonlyMap<string, Admission>;
  readonly at: number;
}

/** Turns decisions into rows: attempts opened and closed, timers, approvals, and the run's head. */
export function deriveCommit(decided: Decided, replicaId: string, judge: Judge): RunCommit {
  const { live, about, events, effects, rulings, admissions } = decided;
  const { state, run } = live;
  const { opened, closed, ended } = deriveAttempts(decided, replicaId);
  const { slots, ledger, usage } = bookOf({ live, about, events, admissions, ended, judge });
  return {
    runId: state.runId,
    orgId: run.orgId,
    expectedVersion: live.creating === null ? run.rowVersion : 0,
    create: live.creating,
    head: {
      status: state.status,
      epoch: state.epoch,
      lastEventId: state.lastEventId,
      costMicros: state.costMicros,
      startedAt: state.startedAt,
      endedAt: state.endedAt,
    },
    events,
    opened,
    closed,
    ...deriveTimers(decided),
    parentTimer: parentTimer(decided),
    approvalsOpened: effects.flatMap((effect) =>
      effect.type === "open-approval" ? [approvalRecord(effect, run.orgId, state.runId)] : [],
    ),
    approvalsClosed: events.flatMap((event) => (event.type === "approval.resolved" ? [closingOf(event)] : [])),
    reports: decided.reports,
    slots,
    ledger,
    usage,
    workflow: run.workflow,
    verdicts: rulings.flatMap(({ record }) => (record === null ? [] : [record])),
    audit:
      judge.settle === undefined ? [] : [...entriesOfEvents(run, events), ...rulings.flatMap(({ audit }) => audit)],
    memories: memoriesOf({ live, about, judge }, events),
  };
}

function deriveAttempts({ live, events, effects, admissions, at }: Decided, replicaId: string) {
  const opened = new Map<string, OpenAttempt>();
  const closed: AttemptKey[] = [];
  const ended = new Map<string, AttemptKey>();
  for (const effect of effects) {
    if (effect.type !== "dispatch" || effect.isResend) continue;
    const { nodeId, attempt, timeoutMs } = effect;
    const deadlineAt = timeoutMs === null ? null : at + timeoutMs;
    const admission = admissions.get(keyOf({ nodeId, attempt }));
    const taken = admission?.reserved ?? [];
    const reserved = taken.map(({ envelopeId, periodStart, micros }) => ({ envelopeId, periodStart, micros }));
    const agentId = admission?.agentId ?? null;
    opened.set(keyOf({ nodeId, attempt }), { nodeId, attempt, replicaId, deadlineAt, agentId, reserved });
  }
  for (const event of events) {
    const key = endedAttempt(event);
    // A retried attempt that is then cancelled, or refused its next try, is named twice and ends once.
    if (key === undefined || ended.has(keyOf(key))) continue;
    // An attempt that opens and ends in one batch never becomes a row.
    const isNew = opened.delete(keyOf(key));
    const isHeld = !isNew && live.openAttempts.get(key.nodeId)?.attempt === key.attempt;
    if (isHeld) closed.push(key);
    if (isNew || isHeld) ended.set(keyOf(key), key);
  }
  return { opened: [...opened.values()], closed, ended: [...ended.values()] };
}

function deriveTimers({ live, events, effects, toldTimers }: Decided) {
  const dispatched = new Set<string>();
  const timersSet: { timer: Timer; dueAt: number }[] = [];
  const timersCleared: Timer[] = [...toldTimers, ...events.flatMap(timersOfChild)];
  for (const effect of effects) {
    if (effect.type === "dispatch") dispatched.add(`${effect.nodeId}/${effect.attempt}`);
    if (effect.type === "close-approval") timersCleared.push(...timersOfApproval(live, effect.approvalId));
    if (effect.type !== "set-timer") continue;
    const { timer, dueAt } = effect;
    // The deadline of a dispatched attempt stands in the attempt's own row.
    const isInAttempt = timer.kind === "attempt" && dispatched.has(`${timer.nodeId}/${timer.attempt}`);
    if (!isInAttempt) timersSet.push({ timer, dueAt });
  }
  if (isTerminal(live.state.status)) timersCleared.push(...live.timers.values());
  return { timersSet: isTerminal(live.state.status) ? [] : timersSet, timersCleared };
}

/** A parent that was not told in time is told by whoever finds this due. */
const TOLD_WITHIN_MS = 3_000;

function parentTimer({ live, events, at }: Decided): RunCommit["parentTimer"] {
  const { run, state } = live;
  if (!isTerminal(state.status) || events.length === 0) return null;
  return parentTimerOf(run, at, hasEndedIn(events) ? null : state.lastEventId);
}

/** A run that ended before can only cost. */
export function hasEndedIn(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => ENDING.has(type));
}

const ENDING: ReadonlySet<RunEvent["type"]> = new Set([
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.timed_out",
]);

/**
 * Null: no other run has started it. What it spends after its end is told as well, up to the event `lateEventId`, and
 * has a timer of its own: the one for an earlier event may be cleared at the same time.
 */
export function parentTimerOf(run: RunRecord, at: number, lateEventId: number | null): RunCommit["parentTimer"] {
  const { parentRunId, parentNode: nodeId, parentAttempt: attempt, runId: childRunId } = run;
  if (parentRunId === null || nodeId === null || attempt === null) return null;
  const child = { nodeId, attempt, childRunId };
  const timer: Timer =
    lateEventId === null ? { kind: "child", ...child } : { kind: "child-cost", ...child, eventId: lateEventId };
  return { runId: parentRunId, timer, dueAt: at + TOLD_WITHIN_MS };
}

/** Nothing more is to be done for a child that was heard of. */
function timersOfChild(event: RunEvent): readonly Timer[] {
  if (event.type !== "child.finished") return [];
  const { nodeId, attempt, childRunId } = event.payload;
  const child = { nodeId, attempt: attempt ?? 0, childRunId };
  return [
    { kind: "child", ...child },
    { kind: "child-cancel", ...child },
  ];
}

function timersOfApproval(live: LiveRun, approvalId: string): readonly Timer[] {
  return [...live.timers.values()].filter((timer) => "approvalId" in timer && timer.approvalId === approvalId);
}

export function timerKey(timer: Timer): string {
  // Nearly all are of this kind.
  if (timer.kind === "attempt") return `attempt/${timer.nodeId}/${timer.attempt}`;
  return Object.values(timer).join("/");
}

function approvalRecord(effect: OpenApproval, orgId: string, runId: string): ApprovalRecord {
  const { approvalId: id, rule, type: _type, ...asked } = effect;
  return {
    id,
    orgId,
    runId,
    ...asked,
    approvers: rule.approvers,
    isSeparate: rule.isSeparate,
    status: "pending",
    choice: null,
    resolvedBy: null,
    resolvedAt: null,
    reason: null,
    modifications: null,
  };
}

function closingOf({ payload, at }: EventOf<"approval.resolved">): ApprovalClosing {
  return {
    id: payload.approvalId,
    status: payload.status,
    choice: payload.decision ?? null,
    resolvedBy: payload.by ?? null,
    resolvedAt: at,
    reason: payload.reason ?? null,
    modifications: payload.modifications ?? null,
  };
}
