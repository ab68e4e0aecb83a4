import { invariant, required } from "../../core/base/index.ts";
import { attemptsLeftOpen, checkBatch, firstEventId, timersOf } from "../commit-check.ts";
import { attemptKey } from "../../core/event/index.ts";
import { timerKey } from "../../core/engine/index.ts";
import { packEvents, type PackedEvents } from "../event-pack.ts";
import { IDEMPOTENCY_MS, type IdempotencyScope } from "../idempotency-scope.ts";
import type { CommitOutcome, NewRun, RunCommit } from "../store.ts";
import { writeMemories } from "./memory-agent-memory.ts";
import { writeCommittedAudit } from "./memory-audit.ts";
import { writeEvents } from "./memory-events.ts";
import { writeFileReferences } from "./memory-files.ts";
import { isOverLimit, writeGovernance } from "./memory-governance.ts";
import { isSlotTaken, writePlace } from "./memory-places.ts";
import { noteWork } from "./memory-work.ts";
import { copy, keyOf, type MemoryRun, type MemoryWorld } from "./memory-world.ts";

/** Checks everything before the first change, so that a commit that throws has written nothing. */
export function commitToMemory(world: MemoryWorld, batch: readonly RunCommit[]): CommitOutcome {
  checkBatch(batch);
  const packed = new Map(batch.map((commit) => [commit.runId, packEvents(commit.events)]));
  for (const commit of batch) checkFollows(world, commit);
  const expected = batch.filter((commit) => isExpected(world, commit));
  if (isOverLimit(world, expected) || isSlotTaken(world, expected)) {
    return { isOverLimit: true, conflicts: [], duplicates: [] };
  }
  const conflicts: string[] = [];
  const duplicates: CommitOutcome["duplicates"][number][] = [];
  for (const commit of batch) {
    const scope = commit.create?.idempotency ?? null;
    const taken = scope === null ? undefined : liveIdempotency(world, scope);
    if (taken !== undefined) {
      duplicates.push({ runId: commit.runId, existingRunId: taken.runId, bodyHash: taken.bodyHash });
    } else if (!isExpected(world, commit)) conflicts.push(commit.runId);
    else write(world, commit, required(packed.get(commit.runId), "every commit was packed"));
  }
  return { isOverLimit: false, conflicts, duplicates };
}

function isExpected(world: MemoryWorld, { runId, orgId, expectedVersion }: RunCommit): boolean {
  const run = world.runs.get(runId);
  if (run === undefined) return expectedVersion === 0;
  return run.orgId === orgId && run.head.rowVersion === expectedVersion;
}

function checkFollows(world: MemoryWorld, commit: RunCommit): void {
  const run = world.runs.get(commit.runId);
  if (run === undefined || !isExpected(world, commit)) return;
  const next = firstEventId(commit.events, commit.head.lastEventId);
  invariant(run.head.lastEventId + 1 === next, `${commit.runId}: the events do not follow the log`);
}

export function liveIdempotency(
  world: MemoryWorld,
  scope: IdempotencyScope,
): { readonly runId: string; readonly bodyHash: string } | undefined {
  const found = world.idempotency.get(scopeKey(scope));
  return found !== undefined && found.at > world.now() - IDEMPOTENCY_MS ? found : undefined;
}

function scopeKey({ orgId, keyId, workflow, key }: IdempotencyScope): string {
  return keyOf(orgId, keyId, workflow, key);
}

function write(world: MemoryWorld, commit: RunCommit, packed: PackedEvents): void {
  const { runId, orgId } = commit;
  const head = { ...commit.head, runId, rowVersion: commit.expectedVersion + 1 };
  const run = world.runs.get(runId) ?? create(world, commit, required(commit.create, "a new run has what creates it"));
  run.head = copy(head);
  if (commit.events.length > 0) run.bodies.push(packed.body);
  for (const [hash, text] of packed.blobs) world.blobs.set(keyOf(orgId, hash), text);
  for (const key of commit.closed) run.openAttempts.delete(attemptKey(key));
  const opened = attemptsLeftOpen(commit);
  for (const attempt of opened) run.openAttempts.set(attemptKey(attempt), copy(attempt));
  noteWork(world, runId, opened, commit.closed);
  const timers = timersOf(commit);
  for (const key of timers.cleared) run.timers.delete(key);
  for (const [key, timer] of timers.set) run.timers.set(key, copy(timer));
  // A node whose wait ends and begins again in one commit continues to wait.
  for (const nodeId of commit.waitsEnded) run.waits.delete(nodeId);
  for (const wait of commit.waits) run.waits.set(wait.nodeId, { ...wait });
  writeEvents(world, commit);
  const { parentTimer } = commit;
  if (parentTimer !== null) {
    const { runId: parentId, ...timer } = parentTimer;
    world.runs.get(parentId)?.timers.set(timerKey(timer.timer), copy(timer));
  }
  writeApprovals(world, commit);
  writeGovernance(world, commit);
  writeMemories(world, commit);
  writeCommittedAudit(world, commit);
  writeFileReferences(world, commit);
  writePlace(world, commit);
  for (const report of commit.reports) {
    const key = keyOf(runId, report.nodeId, report.attempt);
    if (!world.reports.has(key)) world.reports.set(key, { ...copy(report), runId, orgId });
  }
}

function create(world: MemoryWorld, commit: RunCommit, { idempotency, ...pinned }: NewRun): MemoryRun {
  const { runId, orgId } = commit;
  const run: MemoryRun = {
    orgId,
    pinned: copy(pinned),
    bodies: [],
    openAttempts: new Map(),
    timers: new Map(),
    waits: new Map(),
    waiters: new Map(),
    head: { ...commit.head, runId, rowVersion: 0 },
  };
  world.runs.set(runId, run);
  if (idempotency !== null) {
    const { bodyHash } = idempotency;
    world.idempotency.set(scopeKey(idempotency), { runId, bodyHash, at: world.now() });
  }
  return run;
}

function writeApprovals(world: MemoryWorld, commit: RunCommit): void {
  for (const approval of commit.approvalsOpened) {
    if (!world.approvals.has(approval.id)) world.approvals.set(approval.id, copy(approval));
  }
  for (const change of [...commit.approvalsChanged, ...commit.approvalsClosed]) {
    const approval = world.approvals.get(change.id);
    if (approval?.runId === commit.runId) world.approvals.set(change.id, { ...approval, ...copy(change) });
  }
}
