import type { LiveRun, Run, RunsFilter } from "../../client/index.ts";
import type { RunStatus, WaitingFor } from "../../core/event/index.ts";

export interface RunFilter {
  readonly status?: RunStatus;
  readonly waiting_for?: WaitingFor;
  readonly workflow?: string;
  readonly parent?: string;
  /** Conditions that only the server can check. With any of them, unknown runs are not inserted one by one. */
  readonly more?: Omit<RunsFilter, "status" | "waiting_for" | "workflow" | "parent">;
}

/** Returns the filter in the form of an API query. */
export function queryOf({ more = {}, ...rest }: RunFilter): RunsFilter {
  return { ...more, ...rest };
}

/** The first pages of the list, newest run first. */
export interface RunList {
  readonly runs: readonly Run[];
  readonly hasMore: boolean;
}

export interface PatchedList {
  readonly list: RunList;
  /** Runs that may be in the list and must be read, since a message does not contain everything a row shows. */
  readonly unknown: readonly string[];
}

/** Applies messages to a list. An unchanged list, and each unchanged row, stays the same object. */
export function patchRuns(list: RunList, filter: RunFilter, changes: readonly LiveRun[]): PatchedList {
  const byId = new Map(changes.map((change) => [change.id, change]));
  const unknown = new Set(byId.keys());
  const incomplete: string[] = [];
  const runs = list.runs.flatMap((run) => {
    unknown.delete(run.id);
    const change = byId.get(run.id);
    const patched = change === undefined ? run : patchRun(run, change);
    if (!matches(patched, filter)) return [];
    if (patched !== run && lacksReason(patched)) incomplete.push(run.id);
    return [patched];
  });
  const isSame = runs.length === list.runs.length && runs.every((run, index) => run === list.runs[index]);
  return {
    list: isSame ? list : { ...list, runs },
    unknown: [
      ...incomplete,
      ...[...byId.values()].filter((run) => unknown.has(run.id) && mayMatch(run, filter)).map(({ id }) => id),
    ],
  };
}

/** Checks whether a run ended without completing and its error is unknown, since the message did not contain it. */
function lacksReason({ status, error }: Run): boolean {
  return error === undefined && (status === "failed" || status === "timed_out" || status === "cancelled");
}

/** Applies a message to a run. A message older than the row is ignored, as event ids only grow. */
function patchRun(run: Run, change: LiveRun): Run {
  const { status, costMicros, lastEventId, startedAt, completedAt, waitingFor } = change;
  if (lastEventId <= run.lastEventId) return run;
  const { startedAt: _, completedAt: __, ...rest } = run;
  return {
    ...rest,
    status,
    costMicros,
    lastEventId,
    waitingFor,
    ...(startedAt === null ? {} : { startedAt }),
    ...(completedAt === null ? {} : { completedAt }),
  };
}

function matches(run: Run, { status, workflow, parent, waiting_for }: RunFilter): boolean {
  return (
    (status === undefined || run.status === status) &&
    (waiting_for === undefined || run.waitingFor === waiting_for) &&
    (workflow === undefined || run.workflow === workflow) &&
    (parent === undefined || run.parentRunId === parent)
  );
}

/** Checks whether the run of a message may match. The message does not contain the parent. */
export function mayMatch(run: LiveRun, { status, workflow, waiting_for, more }: RunFilter): boolean {
  return (
    more === undefined &&
    (status === undefined || run.status === status) &&
    (waiting_for === undefined || run.waitingFor === waiting_for) &&
    (workflow === undefined || run.workflow === workflow)
  );
}

/** Inserts or replaces runs that were read one by one. Rows beyond `limit` are removed. */
export function insertRuns(list: RunList, filter: RunFilter, read: readonly Run[], limit: number): RunList {
  const known = new Set(list.runs.map(({ id }) => id));
  const last = list.runs.at(-1);
  const newer = new Map(read.map((run) => [run.id, run]));
  let isSame = true;
  const kept = list.runs.map((run) => {
    const again = newer.get(run.id);
    if (again === undefined || again.lastEventId < run.lastEventId) return run;
    isSame = false;
    return again;
  });
  const added = read.filter(
    (run) =>
      !known.has(run.id) &&
      matches(run, filter) &&
      (!list.hasMore || (last !== undefined && newestFirst(run, last) < 0)),
  );
  if (added.length === 0) return isSame ? list : { ...list, runs: kept };
  const runs = [...added, ...kept].sort(newestFirst);
  return { runs: runs.slice(0, limit), hasMore: list.hasMore || runs.length > limit };
}

/** Replaces the first page of the list. Null when runs may be missing between the new page and the rest of the list. */
export function mergeNewest(list: RunList, newest: RunList, limit: number): RunList | null {
  const last = newest.runs.at(-1);
  if (last === undefined || !newest.hasMore || newest.runs.length >= limit) return newest;
  const older = list.runs.filter((run) => newestFirst(run, last) > 0);
  // If a known run is in the new page, the page connects to the rest of the list without a gap.
  const ids = new Set(newest.runs.map(({ id }) => id));
  if (!list.runs.some(({ id }) => ids.has(id))) return null;
  const runs = [...newest.runs, ...older];
  return { runs: runs.slice(0, limit), hasMore: list.hasMore || runs.length > limit };
}

/** Compares runs in the server's order: by time of creation, then by id, both descending. */
function newestFirst(left: Run, right: Run): number {
  if (left.createdAt !== right.createdAt) return left.createdAt > right.createdAt ? -1 : 1;
  if (left.id === right.id) return 0;
  return left.id > right.id ? -1 : 1;
}
