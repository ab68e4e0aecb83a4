import { compareCodeUnits } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { ApprovalRecord } from "../approval-record.ts";
import { appendedAuditId } from "../audit-id.ts";
import type { ErasureStore, Erasing } from "../erasure-store.ts";
import { NO_RUN } from "../launch-approval-store.ts";
import { removeFrom, removeUnusedBlobs } from "./memory-history.ts";
import { replaceDeliveryIds } from "./memory-triggers.ts";
import { copy, keep, keyOf, type MemoryRun, type MemoryWorld } from "./memory-world.ts";

export function memoryErasure(world: MemoryWorld): ErasureStore {
  const { erasures } = world.history;
  return {
    eraseRun: async (orgId, runId, erasing) => {
      const run = world.runs.get(runId);
      if (run?.orgId !== orgId) return "unknown";
      if (!isTerminal(run.head.status)) return "open";
      if (erasures.has(runId)) return "already";
      // This must come before the references are removed from the log.
      removeUnusedBlobs(world, orgId, new Set([runId]));
      eraseLog(world, run, erasing);
      removeContent(world, orgId, runId, erasing);
      erasures.set(runId, { runId, at: erasing.at, by: erasing.by, sha256: erasing.sha256() });
      const body = JSON.stringify([erasing.note()]);
      world.audit.pending.set(appendedAuditId(), { orgId, at: world.now(), body });
      return "erased";
    },
    getErasure: async (orgId, runId) => {
      const found = world.runs.get(runId)?.orgId === orgId ? erasures.get(runId) : undefined;
      return found === undefined ? undefined : copy(found);
    },
    relatedRuns: async (orgId, runIds) => relatedRuns(world, orgId, runIds),
    eraseMentions: async (orgId, runIds, rewrite) => {
      const isMentioned = (text: string): boolean => runIds.some((runId) => text.includes(runId));
      let count = 0;
      for (const [runId, { orgId: owner, bodies }] of world.runs) {
        if (owner !== orgId || runIds.includes(runId)) continue;
        for (const [index, body] of bodies.entries()) {
          if (!body.includes('"instructions":') || !isMentioned(body)) continue;
          bodies[index] = rewrite(body);
          count += 1;
        }
      }
      removeFrom(world.reports, (one) => one.orgId === orgId && isMentioned(JSON.stringify([one.messages, one.logs])));
      replaceDeliveryIds(world, orgId, new Set(runIds));
      return count;
    },
    eraseTraces: async (orgId, { runIds, eventIds, fileHashes }) => {
      for (const runId of runIds) removeTexts(world, orgId, runId);
      for (const id of eventIds) world.waiting.events.delete(keyOf(orgId, id));
      removeUnusedFiles(world, orgId, fileHashes);
    },
    listLaunches: async (orgId, afterId, limit) =>
      [...world.approvals.values()]
        .filter((one) => one.orgId === orgId && one.runId === NO_RUN)
        .filter(({ id }) => compareCodeUnits(id, afterId) > 0)
        .sort((left, right) => compareCodeUnits(left.id, right.id))
        .slice(0, limit)
        .map(copy),
    eraseLaunch: async (orgId, approvalId, erase) => {
      eraseApprovals(world, ({ id, runId }) => id === approvalId && runId === NO_RUN, erase);
      world.comments.delete(keyOf(orgId, approvalId));
      removeTexts(world, orgId, `approval/${approvalId}`);
    },
  };
}

function eraseLog(world: MemoryWorld, run: MemoryRun, erasing: Erasing): void {
  const blocks = run.bodies.map((body) => erasing.block(body));
  for (const [index, { body }] of blocks.entries()) run.bodies[index] = body;
  // The idempotency key of a start by an event is the id of the event.
  const starts = [...world.idempotency].filter(([, { runId }]) => runId === run.head.runId);
  const keys = starts.map(([scope]) => (JSON.parse(scope) as readonly string[])[3] ?? "");
  for (const id of [...keys, ...blocks.flatMap(({ events }) => events)]) {
    world.waiting.events.delete(keyOf(run.orgId, id));
  }
  const pinned = { ...run.pinned, args: erasing.args(run.pinned.args), labels: {} };
  const head = { ...run.head, rowVersion: run.head.rowVersion + 1, errorMessage: null };
  world.runs.set(run.head.runId, { ...run, pinned, head });
}

function removeContent(world: MemoryWorld, orgId: string, runId: string, erasing: Erasing): void {
  const isOwn = (one: { readonly runId: string | null }): boolean => one.runId === runId;
  for (const { id } of [...world.approvals.values()].filter(isOwn)) world.comments.delete(keyOf(orgId, id));
  eraseApprovals(world, isOwn, erasing.approval);
  for (const [scope, { runId: started }] of world.idempotency) if (started === runId) world.idempotency.delete(scope);
  removeFrom(world.reports, isOwn);
  removeFrom(world.webhooks.deliveries, isOwn);
  keep(world.verdicts, (verdict) => !isOwn(verdict));
  keep(world.memories, (memory) => !isOwn(memory));
  removeFiles(world, orgId, runId);
  removeTexts(world, orgId, runId);
}

function eraseApprovals(
  { approvals }: MemoryWorld,
  isWanted: (approval: ApprovalRecord) => boolean,
  erase: (approval: ApprovalRecord) => ApprovalRecord,
): void {
  for (const [id, approval] of approvals) if (isWanted(approval)) approvals.set(id, erase(copy(approval)));
}

function removeFiles(world: MemoryWorld, orgId: string, runId: string): void {
  const { references } = world.files;
  const own = [...references.values()].filter((one) => one.runId === runId).map(({ sha256 }) => sha256);
  removeFrom(references, (one) => one.runId === runId);
  removeUnusedFiles(world, orgId, own);
}

function removeUnusedFiles(
  { files: { files, uploads, references, garbage } }: MemoryWorld,
  orgId: string,
  hashes: readonly string[],
): void {
  const used = new Set([...references.values()].filter((one) => one.orgId === orgId).map(({ sha256 }) => sha256));
  for (const sha256 of hashes.filter((hash) => !used.has(hash))) {
    const file = files.get(keyOf(orgId, sha256));
    if (file !== undefined) garbage.add(file.place);
    files.delete(keyOf(orgId, sha256));
    removeFrom(uploads, (upload) => upload.orgId === orgId && upload.completed === sha256);
  }
}

function removeTexts({ audit }: MemoryWorld, orgId: string, subject: string): void {
  audit.salts.delete(keyOf(orgId, subject));
  for (const [key, text] of audit.texts) {
    const [owner] = JSON.parse(key) as readonly [string, number];
    if (owner === orgId && text.subject === subject) audit.texts.delete(key);
  }
}

function relatedRuns({ runs }: MemoryWorld, orgId: string, runIds: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const waiting = [...runIds];
  for (let runId = waiting.pop(); runId !== undefined; runId = waiting.pop()) {
    if (found.has(runId)) continue;
    found.add(runId);
    for (const [id, { pinned }] of runs) {
      if (pinned.sourceRunId === runId || pinned.parentRunId === runId) waiting.push(id);
    }
    const parent = runs.get(runId)?.pinned.parentRunId ?? null;
    if (parent !== null && runs.has(parent)) waiting.push(parent);
  }
  return [...found].filter((runId) => runs.get(runId)?.orgId === orgId).sort(compareCodeUnits);
}
