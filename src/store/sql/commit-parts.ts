import { addGovernance, hasHits } from "./governance-parts.ts";
import { attemptsLeftOpen, firstEventId, timersOf } from "../commit-check.ts";
import { timerKey } from "../../core/engine/index.ts";
import type { OpenAttempt, RunCommit } from "../store.ts";
import { bigint, boolean, Columns, int, jsonText, optional, parsed, type RecordOf, text } from "./columns.ts";
import { HEAD_FIELDS, NEW_RUN } from "./run-columns.ts";
import { MEMORY } from "./sql-agent-memory.ts";
import { NEW_EVENT, NEW_WAITER, newRow } from "./sql-events.ts";

const KEY = { runId: text, orgId: text };
const SLOT = { ...KEY, agentId: text, delta: int, maxOpen: optional(int) };

/** The parts of a batch. Each part is a set of rows, sent as one array per column. */
export const PARTS = {
  updated: new Columns({
    ...KEY,
    rowVersion: int,
    firstEventId: int,
    ...HEAD_FIELDS,
    body: optional(jsonText),
    isReindexed: boolean,
  }),
  created: new Columns({ ...KEY, ...HEAD_FIELDS, body: optional(jsonText), ...NEW_RUN.fields }),
  opened: new Columns({
    ...KEY,
    nodeId: text,
    attempt: int,
    replicaId: text,
    deadlineAt: optional(bigint),
    agentId: optional(text),
    reserved: parsed<OpenAttempt["reserved"]>("json"),
    parallelOf: optional(text),
    function: optional(text),
    work: optional(jsonText),
    isOnce: optional(boolean),
  }),
  closed: new Columns({ runId: text, nodeId: text, attempt: int }),
  timers_set: new Columns({ ...KEY, ofRunId: text, key: text, dueAt: bigint }),
  timers_cleared: new Columns({ runId: text, key: text }),
  waits: new Columns({
    ...KEY,
    nodeId: text,
    queue: text,
    rank: int,
    since: bigint,
    dueAt: bigint,
    replicaId: optional(text),
  }),
  waits_ended: new Columns({ runId: text, nodeId: text }),
  waiters: new Columns({ ...KEY, ...NEW_WAITER }),
  waiters_ended: new Columns({ runId: text, nodeId: text }),
  emitted: new Columns({ ...KEY, ...NEW_EVENT }),
  places: new Columns({ ...KEY, key: text, slot: optional(int), since: bigint }),
  places_released: new Columns({ runId: text }),
  slots: new Columns(SLOT),
  rated_slots: new Columns({
    ...SLOT,
    hits: optional(text),
    hitCounts: optional(text),
    rateCount: optional(int),
    windowMs: optional(bigint),
  }),
  ledger: new Columns({
    ...KEY,
    envelopeId: text,
    periodStart: bigint,
    reserved: bigint,
    spent: bigint,
    ceiling: optional(bigint),
  }),
  usage: new Columns({
    ...KEY,
    nodeId: text,
    attempt: int,
    workflow: text,
    agentId: optional(text),
    model: optional(text),
    gatewayId: optional(text),
    inputTokens: bigint,
    outputTokens: bigint,
    thinkingTokens: bigint,
    cachedTokens: bigint,
    costMicros: bigint,
    priceId: optional(text),
    at: bigint,
  }),
  verdicts: new Columns({ ...KEY, firstEventId: int, at: bigint, body: jsonText }),
  audit: new Columns({ ...KEY, id: text, at: bigint, body: jsonText }),
  memories: new Columns({ orgId: text, id: text, ...MEMORY.fields }),
} as const;

export type PartName = keyof typeof PARTS;
export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];
type Row<P extends PartName> = RecordOf<(typeof PARTS)[P]["fields"]>;

export type PartRows = { readonly [P in PartName]: Row<P>[] };

/**
 * Builds the rows of a batch, in its order; `bodies` has the packed events of each run that has any. Copied fields come
 * last in each row: an object that is first copied and then extended is ten times as expensive to make.
 */
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
    waiters: [],
    waiters_ended: [],
    emitted: [],
    places: [],
    places_released: [],
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
    else rows.created.push({ runId, orgId, body, ...commit.head, ...commit.create });
    for (const attempt of attemptsLeftOpen(commit))
      rows.opened.push({
        runId,
        orgId,
        ...attempt,
        parallelOf: attempt.parallelOf ?? null,
        function: attempt.work?.function ?? null,
        work: attempt.work === undefined ? null : JSON.stringify(attempt.work.request),
        isOnce: attempt.work?.isOnce ?? null,
      });
    for (const { nodeId, attempt } of commit.closed) rows.closed.push({ runId, nodeId, attempt });
    const { set, cleared } = timersOf(commit);
    for (const [key, { dueAt }] of set) rows.timers_set.push(timerRow(commit, runId, key, dueAt));
    const { parentTimer } = commit;
    if (parentTimer !== null)
      rows.timers_set.push(timerRow(commit, parentTimer.runId, timerKey(parentTimer.timer), parentTimer.dueAt));
    for (const key of cleared) rows.timers_cleared.push({ runId, key });
    addWaits(rows, commit);
    addEvents(rows, commit);
    addPlace(rows, commit);
    addGovernance(rows, commit, isRated);
  }
  return { ...rows, timers_set: onceEach(rows.timers_set) };
}

/** Adds waits. A node whose wait ends and begins again in one commit continues to wait. */
function addWaits(rows: PartRows, { runId, orgId, waits, waitsEnded }: RunCommit): void {
  if (waits.length === 0 && waitsEnded.length === 0) return;
  const waiting = new Set<string>();
  for (const wait of waits) {
    waiting.add(wait.nodeId);
    rows.waits.push({ runId, orgId, ...wait });
  }
  for (const nodeId of waitsEnded) if (!waiting.has(nodeId)) rows.waits_ended.push({ runId, nodeId });
}

function addPlace(rows: PartRows, { runId, orgId, place }: RunCommit): void {
  if (place === null) return;
  if (place.kind === "release") rows.places_released.push({ runId });
  else
    rows.places.push({
      runId,
      orgId,
      key: place.key,
      slot: place.kind === "hold" ? place.slot : null,
      since: place.since,
    });
}

/** Adds events and waiters. A node that begins to wait for an event again in one commit waits for the new one. */
function addEvents(rows: PartRows, { runId, orgId, waiters, waitersEnded, emitted }: RunCommit): void {
  const waiting = new Set<string>();
  for (const waiter of waiters) {
    waiting.add(waiter.nodeId);
    rows.waiters.push({ runId, orgId, ...waiter });
  }
  for (const nodeId of waitersEnded) if (!waiting.has(nodeId)) rows.waiters_ended.push({ runId, nodeId });
  for (const event of emitted) rows.emitted.push({ runId, orgId, ...newRow(event) });
}

/** Removes duplicate timers. A run may set the same timer that its child sets for it in the batch: the row that comes last stays. */
function onceEach(timers: readonly Row<"timers_set">[]): Row<"timers_set">[] {
  if (timers.length < 2) return [...timers];
  return [...new Map(timers.map((row) => [`${row.ofRunId} ${row.key}`, row])).values()];
}

function timerRow({ runId, orgId }: RunCommit, ofRunId: string, key: string, dueAt: number): Row<"timers_set"> {
  return { runId, ofRunId, key, orgId, dueAt };
}

function updatedRow(
  { runId, orgId, expectedVersion, head, events, isReindexed }: RunCommit,
  body: string | null,
): Row<"updated"> {
  const first = firstEventId(events, head.lastEventId);
  return { runId, orgId, rowVersion: expectedVersion, firstEventId: first, body, isReindexed, ...head };
}
