import { FINALLY } from "../../core/plan/index.ts";
import type { Clock } from "../../clock/index.ts";
import { LIMITS } from "../../core/base/index.ts";
import type { ChildTimer, Timer } from "../../core/engine/index.ts";
import { type Counts, isTerminal, type RunEvent } from "../../core/event/index.ts";
import { type ApprovalClosing, NO_CHANGES, type RunCommit, type RunRecord, type Store } from "../../store/index.ts";
import type { Judge } from "../../governance/index.ts";
import { releasesOf } from "./ledger-changes.ts";
import type { AfterCommit } from "./after-commit.ts";
import { parentTimerOf } from "./derive-commit.ts";
import { lineOf } from "./derive-head.ts";
import type { StoreHealth } from "./store-health.ts";

/** The content of the commit that parked a run. */
export type Parked = Pick<RunCommit, "runId" | "orgId" | "events" | "closed" | "parentTimer" | "slots" | "ledger"> & {
  /** Child runs whose result is not wanted any more. */
  readonly children: readonly string[];
};

/**
 * Ends a run that hit a bug, using its log alone: its state cannot be trusted, the states of other runs can. Its open
 * attempts are released, and its log records the reason, so that a person can recover it once the bug is fixed.
 * Undefined when there was nothing to end, or another replica has advanced the run.
 */
async function parkRun(
  store: Pick<Store, "loadRuns" | "commit">,
  runId: string,
  at: number,
  error: unknown,
): Promise<Parked | undefined> {
  const [loaded] = await store.loadRuns([runId]);
  if (loaded === undefined || isTerminal(loaded.run.status)) return undefined;
  const { run, openAttempts, timers } = loaded;
  const message = error instanceof Error ? error.message : String(error);
  const { costMicros, epoch, lastEventId } = run;
  const changed = { from: run.status, to: "failed", epoch } as const;
  const counts = countsOf(loaded.events);
  const reason = message.slice(0, LIMITS.errorTextLengthMax);
  const children = liveChildrenOf(loaded.events);
  const commit: RunCommit = {
    ...unchangedCommitOf(run),
    head: {
      ...unchangedCommitOf(run).head,
      status: "failed",
      lastEventId: lastEventId + 2,
      endedAt: at,
      waitingFor: null,
      paused: null,
      errorCode: "engine_bug",
      errorMessage: lineOf(reason),
    },
    isReindexed: run.block === null,
    events: [
      { eventId: lastEventId + 1, at, type: "run.status.changed", payload: changed },
      {
        eventId: lastEventId + 2,
        at,
        type: "run.failed",
        payload: { counts, costMicros, errorCode: "engine_bug", reason },
      },
    ],
    closed: openAttempts,
    timersCleared: timers.filter(({ kind }) => kind !== "queue" && kind !== "child-cost"),
    waitsEnded: timers.flatMap((timer) => (timer.kind === "queue" ? [timer.nodeId] : [])),
    waitersEnded: awaitingOf(loaded.events),
    // If this process dies first, the replica that finds these timers due cancels the child runs.
    timersSet: children.map((timer) => ({ timer, dueAt: at + CHILD_CANCEL_DELAY_MS })),
    parentTimer: parentTimerOf(run, at, null),
    approvalsClosed: closingsOf(loaded.events, at),
    ...releasesOf(openAttempts),
    place: { kind: "release" },
  };
  const { conflicts } = await store.commit([commit]);
  return conflicts.length > 0 ? undefined : { ...commit, children: children.map(({ childRunId }) => childRunId) };
}

const CHILD_CANCEL_DELAY_MS = 3_000;

/** Returns a commit of a run that changes nothing. */
function unchangedCommitOf({ runId, orgId, rowVersion, workflow, ...run }: RunRecord): RunCommit {
  const { status, epoch, lastEventId, costMicros, startedAt, endedAt, waitingFor, paused, errorCode, errorMessage } =
    run;
  return {
    ...NO_CHANGES,
    runId,
    orgId,
    expectedVersion: rowVersion,
    head: { status, epoch, lastEventId, costMicros, startedAt, endedAt, waitingFor, paused, errorCode, errorMessage },
    workflow,
  };
}

function countsOf(events: readonly RunEvent[]): Counts {
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, timedOut: 0 };
  for (const { type } of events) {
    if (type === "node.completed") counts.completed += 1;
    if (type === "node.failed") counts.failed += 1;
    if (type === "node.skipped") counts.skipped += 1;
    if (type === "node.cancelled") counts.cancelled += 1;
    if (type === "node.timed_out") counts.timedOut += 1;
  }
  return counts;
}

/** Returns every node that has ever waited for an event. Those that no longer wait have no row, so clearing them has no effect. */
function awaitingOf(events: readonly RunEvent[]): readonly string[] {
  const nodes = events.flatMap(({ type, payload }) =>
    type === "node.blocked" && payload.event !== undefined ? [payload.nodeId] : [],
  );
  return [...new Set(nodes)];
}

function liveChildrenOf(events: readonly RunEvent[]): readonly ChildTimer[] {
  const live = new Map<string, ChildTimer>();
  for (const { type, payload } of events) {
    if (type === "child.finished" || type === "run.finally.ended") live.delete(payload.childRunId);
    if (type === "run.finally") {
      live.set(payload.childRunId, {
        kind: "child-cancel",
        nodeId: FINALLY,
        attempt: 1,
        childRunId: payload.childRunId,
      });
    }
    if (type !== "child.started") continue;
    const { nodeId, attempt = 0, childRunId } = payload;
    live.set(childRunId, { kind: "child-cancel", nodeId, attempt, childRunId });
  }
  return [...live.values()];
}

/** Cancels the open approvals, because the run can no longer take an answer. */
function closingsOf(events: readonly RunEvent[], at: number): readonly ApprovalClosing[] {
  const asked = new Set<string>();
  for (const { type, payload } of events) {
    if (type === "approval.requested") asked.add(payload.approvalId);
    if (type === "approval.resolved") asked.delete(payload.approvalId);
  }
  const unanswered = { choice: null, resolvedBy: null, modifications: null };
  return [...asked].map((id) => ({
    id,
    status: "cancelled",
    resolvedAt: at,
    reason: "the run hit a bug",
    ...unanswered,
  }));
}

/** Delay before a run that cannot be read is tried again. It may have been fixed by then. */
const POSTPONE_MS = 3_600_000;

/**
 * Postpones a due timer of a run that hit a bug and takes no input. The timer is not lost, and no replica retries it
 * constantly. Does nothing for a run that is still open: it was only temporarily unreachable.
 */
export async function postponeTimer(
  store: Pick<Store, "loadRuns" | "commit">,
  runId: string,
  timer: Timer,
  at: number,
): Promise<void> {
  const [loaded] = await store.loadRuns([runId]);
  if (loaded === undefined || !isTerminal(loaded.run.status)) return;
  await store.commit([{ ...unchangedCommitOf(loaded.run), timersSet: [{ timer, dueAt: at + POSTPONE_MS }] }]);
}

export interface ParkingOptions {
  readonly store: Pick<Store, "loadRuns" | "commit">;
  /** Used to wait for the database, so that a short outage does not leave the run unparked. */
  readonly health: Pick<StoreHealth, "untilAvailable">;
  readonly judge: Pick<Judge, "prepare" | "committed">;
  readonly clock: Pick<Clock, "now">;
  /** Called before the run is ended. */
  readonly onBug: (runId: string, error: unknown) => void;
  readonly after: Pick<AfterCommit, "parked">;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Parks a run without making the caller wait. The callbacks report the result. */
export function parkInBackground(options: ParkingOptions, runId: string, error: unknown): void {
  const { store, health, judge, clock, onBug, after, onTrouble } = options;
  onBug(runId, error);
  health
    .untilAvailable(() => parkRun(store, runId, clock.now(), error))
    .then(async (parked) => {
      if (parked === undefined) return;
      after.parked(parked);
      await notifyJudge(judge, parked);
    })
    .catch((failure: unknown) => onTrouble(`run ${runId} stays`, failure));
}

/** Updates the judge. If it had nothing loaded for the organisation, it reads the current data, which already includes this commit. */
async function notifyJudge(judge: ParkingOptions["judge"], { orgId, runId, closed, slots, ledger }: Parked) {
  const reading = judge.prepare?.(new Set([orgId]));
  if (reading !== undefined) return reading;
  const ended = closed.map(({ nodeId }) => nodeId);
  judge.committed?.(orgId, { runId, ended, settled: [], taken: [], slots, ledger, memories: [] });
}
