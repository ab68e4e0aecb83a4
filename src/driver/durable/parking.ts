import { LIMITS } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import { parentTimerOf } from "./derive-commit.ts";
import type { RunCommit, Store } from "../../store/index.ts";

/** What was written when a run was parked. */
export type Parked = Pick<RunCommit, "runId" | "events" | "closed" | "parentTimer">;

/**
 * Ends a run that hit a bug, from its log alone: its states cannot be trusted, the others' can. What it had in flight is
 * let go, and its log says why, so that a person can recover it once the bug is mended. Undefined: there was nothing to
 * end, or somebody else has moved it on.
 */
async function parkRun(
  store: Pick<Store, "loadRuns" | "commit">,
  runId: string,
  at: number,
  error: unknown,
): Promise<Parked | undefined> {
  const [loaded] = await store.loadRuns([runId]);
  if (loaded === undefined || isTerminal(loaded.run.status)) return undefined;
  const { run, openAttempts } = loaded;
  const message = error instanceof Error ? error.message : String(error);
  const eventId = run.lastEventId + 1;
  const { epoch, costMicros, startedAt } = run;
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, timedOut: 0 };
  for (const { type } of loaded.events) {
    if (type === "node.completed") counts.completed += 1;
    if (type === "node.failed") counts.failed += 1;
    if (type === "node.skipped") counts.skipped += 1;
    if (type === "node.cancelled") counts.cancelled += 1;
    if (type === "node.timed_out") counts.timedOut += 1;
  }
  const reason = message.slice(0, LIMITS.errorTextLengthMax);
  const commit: RunCommit = {
    runId,
    orgId: run.orgId,
    expectedVersion: run.rowVersion,
    create: null,
    head: { status: "failed", epoch, lastEventId: eventId, costMicros, startedAt, endedAt: at },
    events: [{ eventId, at, type: "run.failed", payload: { counts, costMicros, errorCode: "engine_bug", reason } }],
    opened: [],
    closed: openAttempts,
    timersSet: [],
    timersCleared: [],
    parentTimer: parentTimerOf(run, at),
    approvalsOpened: [],
    approvalsClosed: [],
    reports: [],
    slots: [],
    ledger: [],
    usage: [],
    workflow: run.workflow,
    verdicts: [],
    audit: [],
  };
  const { conflicts } = await store.commit([commit]);
  return conflicts.length > 0 ? undefined : commit;
}

export interface ParkingOptions {
  readonly store: Pick<Store, "loadRuns" | "commit">;
  readonly now: () => number;
  /** Before it is ended. */
  readonly onStruck: (runId: string, error: unknown) => void;
  readonly onParked: (parked: Parked) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The same for whoever cannot wait: what becomes of it is told, not returned. */
export function parkAloud(options: ParkingOptions, runId: string, error: unknown): void {
  const { store, now, onStruck, onParked, onTrouble } = options;
  onStruck(runId, error);
  parkRun(store, runId, now(), error)
    .then((parked) => (parked === undefined ? undefined : onParked(parked)))
    .catch((failure: unknown) => onTrouble(`run ${runId} stays`, failure));
}
