import { isTerminal } from "../../core/event/index.ts";
import { hasWords, type RunDocument } from "../../core/search/index.ts";
import type { SearchStore } from "../search-store.ts";
import { inOrder } from "../trend-share.ts";
import type { Facet, Range, RunFilter } from "../run-filter.ts";
import { readDocument } from "./memory-document.ts";
import { memoryTrends } from "./memory-trends.ts";
import type { MemoryRun, MemoryWorld } from "./memory-world.ts";

/** Search without an index: every query reads all runs. */
export function memorySearch(world: MemoryWorld): SearchStore {
  return {
    indexRuns: async () => 0,
    trends: async (orgId, selection) => memoryTrends(world, orgId, selection).sort(inOrder),
    rollUsage: async () => false,
  };
}

/** Whether a run matches a filter, except for what it waits for, which depends on its child runs. */
export function fitsFilter(world: MemoryWorld, run: MemoryRun, filter: RunFilter): boolean {
  const { pinned, head } = run;
  return (
    pinned.block === null &&
    (filter.status === undefined || head.status === filter.status) &&
    (filter.workflow === undefined || pinned.workflow === filter.workflow) &&
    (filter.version === undefined || pinned.version === filter.version) &&
    (filter.parentRunId === undefined || pinned.parentRunId === filter.parentRunId) &&
    (filter.trigger === undefined || pinned.trigger === filter.trigger) &&
    (filter.startedBy === undefined || pinned.startedBy === filter.startedBy) &&
    (filter.errorCode === undefined || head.errorCode === filter.errorCode) &&
    isInside(head.costMicros, filter.cost) &&
    isInside(durationOf(run), filter.duration) &&
    pinned.createdAt >= (filter.created?.from ?? -Infinity) &&
    pinned.createdAt < (filter.created?.to ?? Infinity) &&
    fitsDocument(world, run, filter)
  );
}

function isInside(value: number | null, range: Range | undefined): boolean {
  if (range === undefined || (range.from === undefined && range.to === undefined)) return true;
  return value !== null && value >= (range.from ?? -Infinity) && value <= (range.to ?? Infinity);
}

/** Null while the run is open. */
function durationOf({ pinned, head }: MemoryRun): number | null {
  if (!isTerminal(head.status) || head.endedAt === null) return null;
  return head.endedAt - (head.startedAt ?? pinned.createdAt);
}

function fitsDocument(world: MemoryWorld, run: MemoryRun, { facets = [], words }: RunFilter): boolean {
  const labels = new Set(Object.entries(run.pinned.labels).map(([name, text]) => `label:${name}:${text}`));
  const missing = facets.filter((facet) => !labels.has(facet));
  if (missing.length === 0 && words === undefined) return true;
  const document = readDocument(world, run);
  return missing.every((facet) => hasFacet(document, facet)) && hasWords(document.words, words ?? []);
}

function hasFacet({ agents, models }: RunDocument, facet: Facet): boolean {
  const name = facet.slice(facet.indexOf(":") + 1);
  return facet.startsWith("agent:") ? agents.has(name) : facet.startsWith("model:") && models.has(name);
}
