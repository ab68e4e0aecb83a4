import { EXACT_COUNT_MAX, type Hits, type RateWindow } from "../../core/governance/index.ts";
import { memoryEntryId } from "../agent-memory-store.ts";
import { committedAuditId } from "../audit-id.ts";
import { packAudit } from "../audit-pack.ts";
import { firstEventId } from "../commit-check.ts";
import type { RunCommit } from "../store.ts";
import type { PartRows } from "./commit-parts.ts";
import { compressible } from "./compressible.ts";
import { verdictsText } from "./verdict-rows.ts";

/** Whether the commit dispatches for an agent with a rate window. */
export function hasHits({ slots }: RunCommit): boolean {
  return slots.some(({ rate, hits }) => rate !== null && hits.length > 0);
}

/**
 * Adds the counters, costs, verdicts and audit entries of a run's share of a batch. If any share of the batch has hits,
 * all its slots use the statement for rated slots, which locks them in one order and writes each agent once.
 */
export function addGovernance(rows: PartRows, commit: RunCommit, isRated: boolean): void {
  const { runId, orgId, events, head } = commit;
  addSlots(rows, commit, isRated);
  addLedger(rows, commit);
  addUsage(rows, commit);
  addMemories(rows, commit);
  const [verdict] = commit.verdicts;
  const first = firstEventId(events, head.lastEventId);
  if (verdict !== undefined) {
    const body = compressible(verdictsText(commit.verdicts));
    rows.verdicts.push({ runId, firstEventId: first, orgId, at: verdict.at, body });
  }
  const [entry] = commit.audit;
  if (entry !== undefined) {
    const body = compressible(packAudit(runId, commit.audit));
    rows.audit.push({ runId, orgId, id: committedAuditId(runId, commit.expectedVersion), at: entry.at, body });
  }
}

function addSlots(rows: PartRows, { runId, orgId, slots }: RunCommit, isRated: boolean): void {
  for (const { agentId, delta, maxOpen, hits, rate } of slots) {
    const slot = { runId, orgId, agentId, delta, maxOpen };
    if (!isRated) rows.slots.push(slot);
    else rows.rated_slots.push({ ...slot, ...(rate === null || hits.length === 0 ? NO_WINDOW : windowOf(hits, rate)) });
  }
}

function addLedger(rows: PartRows, { runId, orgId, ledger }: RunCommit): void {
  for (const change of ledger) rows.ledger.push({ runId, orgId, ...change });
}

const NO_WINDOW = { hits: null, hitCounts: null, rateCount: null, windowMs: null };

/** Returns the parameters of a window. Up to `EXACT_COUNT_MAX` each hit gets its own moment, so the counts could be left out. */
export function windowOf(hits: readonly Hits[], { count, windowMs }: RateWindow) {
  const apart = count > EXACT_COUNT_MAX ? hits : hits.flatMap(oneEach);
  return {
    hits: apart.map(({ at }) => at).join(","),
    hitCounts: apart.map((one) => one.count).join(","),
    rateCount: count,
    windowMs,
  };
}

function oneEach({ at, count }: Hits): readonly Hits[] {
  return Array.from({ length: count }, () => ({ at, count: 1 }));
}

function addMemories(rows: PartRows, { orgId, memories }: RunCommit): void {
  for (const entry of memories) rows.memories.push({ orgId, id: memoryEntryId(entry), ...entry });
}

function addUsage(rows: PartRows, { runId, orgId, usage, workflow }: RunCommit): void {
  for (const record of usage) rows.usage.push({ runId, orgId, workflow, ...record });
}
