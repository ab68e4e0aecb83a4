import { memoryEntryId } from "../agent-memory-store.ts";
import { committedAuditId } from "../audit-id.ts";
import { firstEventId } from "../commit-check.ts";
import type { RunCommit } from "../store.ts";
import type { PartRows } from "./commit-parts.ts";
import { verdictsText } from "./verdict-rows.ts";

/** What a run's share of a batch counts, spends, decided and tells the audit. */
export function addGovernance(rows: PartRows, commit: RunCommit): void {
  const { runId, orgId, events, head } = commit;
  addCounts(rows, commit);
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

function addCounts(rows: PartRows, { runId, orgId, slots, ledger }: RunCommit): void {
  for (const { agentId, delta, maxOpen, hits, rate } of slots) {
    rows.slots.push({
      run_id: runId,
      org_id: orgId,
      agent_id: agentId,
      delta,
      max_open: maxOpen,
      hits: rate === null || hits.length === 0 ? null : hits.join(","),
      rate_count: rate === null || hits.length === 0 ? null : rate.count,
      window_ms: rate?.windowMs ?? null,
    });
  }
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
