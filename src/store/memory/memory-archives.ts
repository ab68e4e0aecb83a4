import { compareCodeUnits } from "../../core/base/index.ts";
import type { ErasureRecord } from "../erasure-store.ts";
import type { ArchiveRecord, EndedRun, EndedSelection, HistoryStore } from "../history-store.ts";
import { copy, keep, keyOf, type MemoryRun, type MemoryWorld } from "./memory-world.ts";

/** Data of a memory store about runs that were erased, archived or imported. */
export interface MemoryHistory {
  /** Time of the import, by run. */
  readonly imports: Map<string, number>;
  /** By organisation and run. */
  readonly archives: Map<string, ArchiveRecord>;
  /** By run. */
  readonly erasures: Map<string, ErasureRecord>;
}

export function createMemoryHistory(): MemoryHistory {
  return { imports: new Map(), archives: new Map(), erasures: new Map() };
}

type Ended = Pick<HistoryStore, "listEndedRuns" | "pruneVerdicts" | "pruneReports">;

export function memoryEnded(world: MemoryWorld): Ended {
  return {
    listEndedRuns: async (orgId, selection, after, limit) =>
      [...world.runs]
        .filter(([runId, run]) => isChosen(world, orgId, runId, run, selection) && !isChild(world, run))
        .map(([runId, { pinned, head }]): EndedRun => ({
          runId,
          workflow: pinned.workflow,
          endedAt: head.endedAt ?? 0,
        }))
        .filter((run) => after === null || byEnd(run, after) > 0)
        .sort(byEnd)
        .slice(0, limit),
    pruneVerdicts: async (orgId, selection, limit) => {
      const old = world.verdicts.filter(({ runId, at }) => isOld(world, orgId, runId, at, selection));
      const gone = new Set(old.slice(0, limit));
      keep(world.verdicts, (verdict) => !gone.has(verdict));
      return gone.size;
    },
    pruneReports: async (orgId, selection, limit) => {
      const gone = [...world.reports].filter(([, { runId, at }]) => isOld(world, orgId, runId, at, selection));
      for (const [key] of gone.slice(0, limit)) world.reports.delete(key);
      return Math.min(gone.length, limit);
    },
  };
}

function byEnd(left: EndedRun, right: EndedRun): number {
  return left.endedAt - right.endedAt || compareCodeUnits(left.runId, right.runId);
}

function isChild({ runs }: MemoryWorld, { pinned }: MemoryRun): boolean {
  return pinned.parentRunId !== null && runs.has(pinned.parentRunId);
}

function isOld(world: MemoryWorld, orgId: string, runId: string, at: number, selection: EndedSelection): boolean {
  const run = world.runs.get(runId);
  return run !== undefined && at < selection.before && isChosen(world, orgId, runId, run, selection);
}

function isChosen(
  { history }: MemoryWorld,
  orgId: string,
  runId: string,
  { orgId: owner, pinned, head }: MemoryRun,
  { before, workflow, except }: EndedSelection,
): boolean {
  return (
    owner === orgId &&
    head.endedAt !== null &&
    head.endedAt < before &&
    (workflow === null || pinned.workflow === workflow) &&
    !except.includes(pinned.workflow) &&
    (history.imports.get(runId) ?? -1) < before
  );
}

type Archives = Pick<
  HistoryStore,
  "reportsOfRun" | "memoriesOfRun" | "markImported" | "retentionMarks" | "putArchive" | "getArchive" | "listArchives"
>;

export function memoryArchives(world: MemoryWorld): Archives {
  const { imports, archives, erasures } = world.history;
  return {
    reportsOfRun: async (orgId, runId) =>
      [...world.reports.values()]
        .filter((report) => report.orgId === orgId && report.runId === runId)
        .sort((left, right) => compareCodeUnits(left.nodeId, right.nodeId) || left.attempt - right.attempt)
        .map(({ orgId: _orgId, runId: _runId, ...report }) => copy(report)),
    memoriesOfRun: async (orgId, runId) =>
      world.memories
        .filter((memory) => memory.orgId === orgId && memory.runId === runId)
        .sort((left, right) => left.at - right.at)
        .map(({ orgId: _orgId, ...memory }) => copy(memory)),
    markImported: async (orgId, runIds, comments, erased) => {
      for (const runId of runIds) imports.set(runId, world.now());
      for (const erasure of erased) erasures.set(erasure.runId, copy(erasure));
      for (const { approvalId, ...comment } of comments) {
        const key = keyOf(orgId, approvalId);
        const there = world.comments.get(key) ?? [];
        if (!there.some(({ id }) => id === comment.id)) world.comments.set(key, [...there, copy(comment)]);
      }
    },
    retentionMarks: async () => {
      const marks = new Map<string, string>();
      for (const [key, { id, revision, updatedAt }] of world.entries) {
        const [orgId = "", kind] = JSON.parse(key) as string[];
        if (kind === "retention") marks.set(orgId, `${marks.get(orgId) ?? ""} ${id} ${revision} ${updatedAt}`);
      }
      return marks;
    },
    putArchive: async (archive) => {
      archives.set(keyOf(archive.orgId, archive.runId), copy(archive));
    },
    getArchive: async (orgId, runId) => {
      const found = archives.get(keyOf(orgId, runId));
      return found === undefined ? undefined : copy(found);
    },
    listArchives: async (orgId, afterRunId, limit) =>
      [...archives.values()]
        .filter((archive) => archive.orgId === orgId && compareCodeUnits(archive.runId, afterRunId) > 0)
        .sort((left, right) => compareCodeUnits(left.runId, right.runId))
        .slice(0, limit)
        .map(copy),
  };
}
