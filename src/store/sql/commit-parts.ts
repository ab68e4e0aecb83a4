import { addGovernance, hasHits } from "./governance-parts.ts";
import { attemptsLeftOpen, firstEventId, timersOf } from "../commit-check.ts";
import { timerKey } from "../../core/engine/index.ts";
import type { RunCommit } from "../store.ts";
import type { SqlScalar } from "../sql.ts";

/** What a batch may hold, each part a set of rows that travels as one array per column. */
export const PARTS = {
  updated: {
    run_id: "text",
    org_id: "text",
    row_version: "int",
    status: "text",
    epoch: "int",
    first_event_id: "int",
    last_event_id: "int",
    cost_micros: "bigint",
    started_at: "bigint",
    ended_at: "bigint",
    body: "json",
  },
  created: {
    run_id: "text",
    org_id: "text",
    status: "text",
    epoch: "int",
    last_event_id: "int",
    cost_micros: "bigint",
    started_at: "bigint",
    ended_at: "bigint",
    body: "json",
    workflow: "text",
    version: "int",
    definition_hash: "text",
    pinned_hash: "text",
    args: "text",
    trigger: "text",
    trace_id: "text",
    root_span_id: "text",
    parent_span_id: "text",
    parent_run_id: "text",
    parent_node: "text",
    parent_attempt: "int",
    source_run_id: "text",
    recursion_depth: "int",
    gateway: "text",
    model: "text",
    role_bindings: "text",
    team: "text",
    recovery_max: "int",
    started_by: "text",
    created_at: "bigint",
  },
  opened: {
    run_id: "text",
    node_id: "text",
    attempt: "int",
    org_id: "text",
    replica_id: "text",
    deadline_at: "bigint",
    agent_id: "text",
    reserved: "json",
  },
  closed: { run_id: "text", node_id: "text", attempt: "int" },
  timers_set: { run_id: "text", of_run_id: "text", key: "text", org_id: "text", due_at: "bigint" },
  timers_cleared: { run_id: "text", key: "text" },
  waits: {
    run_id: "text",
    node_id: "text",
    org_id: "text",
    queue: "text",
    rank: "int",
    since: "bigint",
    due_at: "bigint",
    replica_id: "text",
  },
  waits_ended: { run_id: "text", node_id: "text" },
  slots: { run_id: "text", org_id: "text", agent_id: "text", delta: "int", max_open: "int" },
  rated_slots: {
    run_id: "text",
    org_id: "text",
    agent_id: "text",
    delta: "int",
    max_open: "int",
    hits: "text",
    hit_counts: "text",
    rate_count: "int",
    window_ms: "bigint",
  },
  ledger: {
    run_id: "text",
    org_id: "text",
    envelope_id: "text",
    period_start: "bigint",
    reserved: "bigint",
    spent: "bigint",
    ceiling: "bigint",
  },
  usage: {
    run_id: "text",
    org_id: "text",
    node_id: "text",
    attempt: "int",
    workflow: "text",
    agent_id: "text",
    model: "text",
    gateway_id: "text",
    input_tokens: "bigint",
    output_tokens: "bigint",
    thinking_tokens: "bigint",
    cached_tokens: "bigint",
    cost_micros: "bigint",
    price_id: "text",
    at: "bigint",
  },
  verdicts: { run_id: "text", first_event_id: "int", org_id: "text", at: "bigint", body: "json" },
  audit: { run_id: "text", id: "text", org_id: "text", at: "bigint", body: "json" },
  memories: {
    run_id: "text",
    org_id: "text",
    agent_id: "text",
    profile: "text",
    at: "bigint",
    id: "text",
    workflow: "text",
    node_id: "text",
    attempt: "int",
    text: "text",
  },
} as const;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];
export type Row<P extends PartName> = Readonly<Record<keyof (typeof PARTS)[P], SqlScalar>>;

export type PartRows = { readonly [P in PartName]: Row<P>[] };

/** The rows of a batch, in its order; `bodies` holds the packed events of each run that has any. */
export function rowsOf(batch: readonly RunCommit[], bodies: ReadonlyMap<string, string>): PartRows {
  const rows: PartRows = {
    updated: [],
    created: [],
    opened: [],
    closed: [],
    timers_set: [],
    timers_cleared: [],
    waits: [],
    waits_ended: [],
    slots: [],
    rated_slots: [],
    ledger: [],
    usage: [],
    verdicts: [],
    audit: [],
    memories: [],
  };
  const isRated = batch.some(hasHits);
  for (const commit of batch) {
    const { runId, orgId } = commit;
    const body = bodies.get(runId) ?? null;
    if (commit.create === null) rows.updated.push(updatedRow(commit, body));
    else rows.created.push(createdRow(commit, commit.create, body));
    for (const { nodeId, attempt, replicaId, deadlineAt, agentId, reserved } of attemptsLeftOpen(commit)) {
      rows.opened.push({
        run_id: runId,
        node_id: nodeId,
        attempt,
        org_id: orgId,
        replica_id: replicaId,
        deadline_at: deadlineAt,
        agent_id: agentId,
        reserved: JSON.stringify(reserved),
      });
    }
    for (const { nodeId, attempt } of commit.closed) rows.closed.push({ run_id: runId, node_id: nodeId, attempt });
    const { set, cleared } = timersOf(commit);
    for (const [key, { dueAt }] of set) rows.timers_set.push(timerRow(commit, runId, key, dueAt));
    const { parentTimer } = commit;
    if (parentTimer !== null)
      rows.timers_set.push(timerRow(commit, parentTimer.runId, timerKey(parentTimer.timer), parentTimer.dueAt));
    for (const key of cleared) rows.timers_cleared.push({ run_id: runId, key });
    addWaits(rows, commit);
    addGovernance(rows, commit, isRated);
  }
  return { ...rows, timers_set: onceEach(rows.timers_set) };
}

/** A node whose wait ends and begins again in one commit waits on. */
function addWaits(rows: PartRows, { runId, orgId, waits, waitsEnded }: RunCommit): void {
  const waiting = new Set<string>();
  for (const { nodeId, queue, rank, since, dueAt, replicaId } of waits) {
    waiting.add(nodeId);
    const place = { queue, rank, since, due_at: dueAt, replica_id: replicaId };
    rows.waits.push({ run_id: runId, node_id: nodeId, org_id: orgId, ...place });
  }
  for (const nodeId of waitsEnded) if (!waiting.has(nodeId)) rows.waits_ended.push({ run_id: runId, node_id: nodeId });
}

/** A run may set the timer its child sets for it in the same batch: one row, and the later of the two. */
function onceEach(timers: readonly Row<"timers_set">[]): Row<"timers_set">[] {
  if (timers.length < 2) return [...timers];
  return [...new Map(timers.map((row) => [`${row.of_run_id} ${row.key}`, row])).values()];
}

function timerRow({ runId, orgId }: RunCommit, ofRunId: string, key: string, dueAt: number): Row<"timers_set"> {
  return { run_id: runId, of_run_id: ofRunId, key, org_id: orgId, due_at: dueAt };
}

function updatedRow({ runId, orgId, expectedVersion, head, events }: RunCommit, body: string | null): Row<"updated"> {
  return {
    run_id: runId,
    org_id: orgId,
    row_version: expectedVersion,
    status: head.status,
    epoch: head.epoch,
    first_event_id: firstEventId(events, head.lastEventId),
    last_event_id: head.lastEventId,
    cost_micros: head.costMicros,
    started_at: head.startedAt,
    ended_at: head.endedAt,
    body,
  };
}

function createdRow(
  { runId, orgId, head }: RunCommit,
  run: NonNullable<RunCommit["create"]>,
  body: string | null,
): Row<"created"> {
  return {
    run_id: runId,
    org_id: orgId,
    status: head.status,
    epoch: head.epoch,
    last_event_id: head.lastEventId,
    cost_micros: head.costMicros,
    started_at: head.startedAt,
    ended_at: head.endedAt,
    body,
    workflow: run.workflow,
    version: run.version,
    definition_hash: run.definitionHash,
    pinned_hash: run.pinnedHash,
    args: JSON.stringify(run.args),
    trigger: run.trigger,
    trace_id: run.traceId,
    root_span_id: run.rootSpanId,
    parent_span_id: run.parentSpanId,
    parent_run_id: run.parentRunId,
    parent_node: run.parentNode,
    parent_attempt: run.parentAttempt,
    source_run_id: run.sourceRunId,
    recursion_depth: run.recursionDepth,
    gateway: run.gateway,
    model: run.model,
    role_bindings: JSON.stringify(run.roleBindings),
    team: run.team,
    recovery_max: run.recoveryMax,
    started_by: run.startedBy,
    created_at: run.createdAt,
  };
}
