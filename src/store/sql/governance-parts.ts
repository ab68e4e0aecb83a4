import { EXACT_COUNT_MAX, type Hits, type RateWindow } from "../../core/governance/index.ts";
import { memoryEntryId } from "../agent-memory-store.ts";
import { committedAuditId } from "../audit-id.ts";
import { firstEventId } from "../commit-check.ts";
import type { RunCommit } from "../store.ts";
import type { PartRows } from "./commit-parts.ts";
import { verdictsText } from "./verdict-rows.ts";

/** Does it dispatch for an agent that has a window? */
export function hasHits({ slots }: RunCommit): boolean {
  return slots.some(({ rate, hits }) => rate !== null && hits.length > 0);
}

/**
 * What a run's share of a batch counts, spends, decided and tells the audit. Where any of the batch has hits all its
 * slots go the longer way: they are locked in one order, and no agent is written twice.
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
    const body = verdictsText(commit.verdicts);
    rows.verdicts.push({ run_id: runId, first_event_id: first, org_id: orgId, at: verdict.at, body });
  }
  const [entry] = commit.audit;
  if (entry !== undefined) {
    const body = JSON.stringify(commit.audit);
    rows.audit.push({
      run_id: runId,
      id: committedAuditId(runId, commit.expectedVersion),
      org_id: orgId,
      at: entry.at,
      body,
    });
  }
}

function addSlots(rows: PartRows, { runId, orgId, slots }: RunCommit, isRated: boolean): void {
  for (const { agentId, delta, maxOpen, hits, rate } of slots) {
    const slot = { run_id: runId, org_id: orgId, agent_id: agentId, delta, max_open: maxOpen };
    if (!isRated) rows.slots.push(slot);
    else rows.rated_slots.push({ ...slot, ...(rate === null || hits.length === 0 ? NO_WINDOW : windowOf(hits, rate)) });
  }
}

function addLedger(rows: PartRows, { runId, orgId, ledger }: RunCommit): void {
  for (const { envelopeId, periodStart, reserved, spent, ceiling } of ledger) {
    rows.ledger.push({
      run_id: runId,
      org_id: orgId,
      envelope_id: envelopeId,
      period_start: periodStart,
      reserved,
      spent,
      ceiling,
    });
  }
}

const NO_WINDOW = { hits: null, hit_counts: null, rate_count: null, window_ms: null };

/** Where each counts for itself there is a moment for each: read without the counts it says the same. */
function windowOf(hits: readonly Hits[], { count, windowMs }: RateWindow) {
  const apart = count > EXACT_COUNT_MAX ? hits : hits.flatMap(oneEach);
  return {
    hits: apart.map(({ at }) => at).join(","),
    hit_counts: apart.map((one) => one.count).join(","),
    rate_count: count,
    window_ms: windowMs,
  };
}

function oneEach({ at, count }: Hits): readonly Hits[] {
  return Array.from({ length: count }, () => ({ at, count: 1 }));
}

function addMemories(rows: PartRows, { runId, orgId, memories }: RunCommit): void {
  for (const entry of memories) {
    rows.memories.push({
      run_id: runId,
      org_id: orgId,
      agent_id: entry.agentId,
      profile: entry.profile,
      at: entry.at,
      id: memoryEntryId(entry),
      workflow: entry.workflow,
      node_id: entry.nodeId,
      attempt: entry.attempt,
      text: entry.text,
    });
  }
}

function addUsage(rows: PartRows, { runId, orgId, usage, workflow }: RunCommit): void {
  for (const record of usage) {
    rows.usage.push({
      run_id: runId,
      org_id: orgId,
      node_id: record.nodeId,
      attempt: record.attempt,
      workflow,
      agent_id: record.agentId,
      model: record.model,
      gateway_id: record.gatewayId,
      input_tokens: record.inputTokens,
      output_tokens: record.outputTokens,
      thinking_tokens: record.thinkingTokens,
      cached_tokens: record.cachedTokens,
      cost_micros: record.costMicros,
      price_id: record.priceId,
      at: record.at,
    });
  }
}
