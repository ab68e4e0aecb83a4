import type { JsonObject } from "../base/index.ts";
import type { EventOf, RunEvent } from "../event/index.ts";
import { auditEntry, type AuditEntry, type AuditType, CATEGORY_OF, ENGINE_ACTOR } from "./entry.ts";

/** Data of a run that is not in its events. */
export interface AuditedRun {
  readonly runId: string;
  /** The key that started the run. Null when no key did. */
  readonly startedBy: string | null;
}

/**
 * Returns the audit entries for the events of a commit. Details name facts and never contain the texts of authors and
 * models. Those stay in the log, where they can be erased without breaking the chain.
 */
export function entriesOfEvents(run: AuditedRun, events: readonly RunEvent[]): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const event of events) {
    const entry = entryOf(run, event);
    if (entry !== null) entries.push(entry);
  }
  return entries;
}

function entryOf(run: AuditedRun, event: RunEvent): AuditEntry | null {
  switch (event.type) {
    case "run.started":
      return runEntry(run, event, "run.started", startOf(event.payload));
    case "run.completed":
      return runEntry(run, event, "run.finished", endOf("completed", event.payload));
    case "run.failed":
      return runEntry(run, event, "run.finished", endOf("failed", event.payload));
    case "run.cancelled":
      return runEntry(run, event, "run.finished", endOf("cancelled", event.payload));
    case "run.timed_out":
      return runEntry(run, event, "run.finished", endOf("timed_out", event.payload));
    case "run.paused":
    case "run.resumed":
      return pauseEntry(run, event);
    case "gate.decided":
      return gateEntry(run, event);
    case "approval.requested":
    case "approval.escalated":
    case "approval.answered":
    case "approval.revised":
    case "approval.resolved":
      return approvalEntry(run, event);
    case "tool.decided":
      return callEntry(run, event);
    default:
      return nodeEntryOf(run, event);
  }
}

function runEntry(
  { runId, startedBy }: AuditedRun,
  { at, type }: RunEvent,
  as: AuditType,
  detail: JsonObject,
): AuditEntry {
  const actor = type === "run.started" ? (startedBy ?? ENGINE_ACTOR) : ENGINE_ACTOR;
  return auditEntry({ at, type: as, actor, resource: `run/${runId}`, run: runId, detail });
}

/** Entry of a pause. A child paused with its parent gets no entry: the parent's entry records the person and the reason. */
function pauseEntry({ runId }: AuditedRun, event: EventOf<"run.paused"> | EventOf<"run.resumed">): AuditEntry | null {
  const { by, byId, reason, isWithParent } = event.payload;
  if (isWithParent === true) return null;
  const detail = { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) };
  const actor = byId ?? by ?? ENGINE_ACTOR;
  return auditEntry({ at: event.at, type: event.type, actor, resource: `run/${runId}`, run: runId, detail });
}

function startOf(payload: EventOf<"run.started">["payload"]): JsonObject {
  const { workflow, version, hash, trigger, recursionDepth, nodeCount, parentRunId, sourceRunId, prompts } = payload;
  return {
    workflow,
    version,
    hash,
    trigger,
    nodeCount,
    recursionDepth,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(sourceRunId === undefined ? {} : { sourceRunId }),
    ...(prompts === undefined ? {} : { promptsBy: writersOf(prompts) }),
  };
}

/** Returns the nodes with edited prompts and the people who edited them. The texts themselves stay only in the log. */
function writersOf(prompts: NonNullable<EventOf<"run.started">["payload"]["prompts"]>): JsonObject {
  return Object.fromEntries(Object.entries(prompts).map(([nodeId, { by = null }]) => [nodeId, by]));
}

function endOf(status: string, payload: EventOf<"run.completed">["payload"]): JsonObject {
  const { counts, costMicros, errorCode, reason } = payload;
  const more = { ...(errorCode === undefined ? {} : { errorCode }), ...(reason === undefined ? {} : { reason }) };
  return { status, counts, costMicros, ...more };
}

function nodeEntryOf(run: AuditedRun, event: RunEvent): AuditEntry | null {
  switch (event.type) {
    case "node.started": {
      const { attempt = 0, agentId, gatewayId, provider, model, verdictId, executionPath } = event.payload;
      // A node that is a child run is started, but never dispatched.
      if (executionPath === null) return null;
      const detail = { attempt, agentId, gatewayId, provider, model, verdictId, executionPath };
      return entryOn(run, event, "node.dispatched", detail);
    }
    case "node.completed": {
      const { attempt, durationMs, inputTokens, outputTokens, costMicros, carried, by } = event.payload;
      if (attempt === undefined || carried === true) {
        const origin = { ...(carried === true ? { carried } : {}), ...(by === undefined ? {} : { by }) };
        const detail = { durationMs, inputTokens, outputTokens, costMicros, ...origin };
        return nodeEntry(run, event, "node.completed", detail);
      }
      return entryOn(run, event, "node.completed", { attempt, durationMs, inputTokens, outputTokens, costMicros });
    }
    case "node.failed":
      return nodeEntry(run, event, "node.failed", { status: "failed", errorCode: event.payload.errorCode });
    case "node.timed_out": {
      const { errorCode, timeoutMs } = event.payload;
      return nodeEntry(run, event, "node.failed", { status: "timed_out", errorCode, timeoutMs });
    }
    case "node.cancelled":
      // A node that was never attempted has no outcome. A dispatched node has one, even when it is cancelled.
      if (event.payload.attempt === undefined) return null;
      return nodeEntry(run, event, "node.failed", { status: "cancelled", reason: event.payload.reason });
    case "node.skipped": {
      const { reason, carried, errorCode } = event.payload;
      const more = { ...(carried === true ? { carried } : {}), ...(errorCode === undefined ? {} : { errorCode }) };
      return nodeEntry(run, event, "node.skipped", { reason, ...more });
    }
    default:
      return null;
  }
}

interface OnNode {
  readonly at: number;
  readonly payload: { readonly nodeId: string; readonly attempt?: number | undefined };
}

function nodeEntry(run: AuditedRun, event: OnNode, type: AuditType, detail: JsonObject): AuditEntry {
  const { attempt } = event.payload;
  return entryOn(run, event, type, attempt === undefined ? detail : { attempt, ...detail });
}

/** Lists every field explicitly, because each node has at least two entries, and copying objects would be slower. */
function entryOn({ runId }: AuditedRun, { at, payload }: OnNode, type: AuditType, detail: JsonObject): AuditEntry {
  const { nodeId } = payload;
  const resource = `node/${nodeId}`;
  return { at, type, actor: ENGINE_ACTOR, resource, run: runId, node: nodeId, detail, category: CATEGORY_OF[type] };
}

/** Entry of a verdict. An allow has no entry: the entry of its dispatch names the verdict. */
function gateEntry(run: AuditedRun, event: EventOf<"gate.decided">): AuditEntry | null {
  const { disposition, gate, code, verdictId } = event.payload;
  if (disposition === "allow") return null;
  const detail = { verdictId, ...(gate === undefined ? {} : { gate }), ...(code === undefined ? {} : { code }) };
  return nodeEntry(run, event, disposition === "block" ? "gate.rejected" : "gate.held", detail);
}

/** Entry of a decision about a tool call without a verdict: by a person, or a refusal. Verdicts of gates have their own entries. */
function callEntry(run: AuditedRun, event: EventOf<"tool.decided">): AuditEntry | null {
  const { callId, disposition, code, verdictId, approvalId, argsDigest, carried } = event.payload;
  if (verdictId !== null || carried === true) return null;
  return nodeEntry(run, event, "tool.decided", {
    callId,
    disposition,
    verdictId,
    ...(code === undefined ? {} : { code }),
    ...(argsDigest === undefined ? {} : { argsDigest }),
    ...(approvalId === undefined ? {} : { approvalId }),
  });
}

type ApprovalEvent = EventOf<
  "approval.requested" | "approval.escalated" | "approval.answered" | "approval.revised" | "approval.resolved"
>;

function approvalEntry(run: AuditedRun, event: ApprovalEvent): AuditEntry {
  const { approvalId, source } = event.payload;
  const entry = nodeEntry(run, event, event.type, { approvalId, source, ...approvalDetail(event) });
  // Two keys may have the same label, but never the same id.
  const by = "by" in event.payload ? (event.payload.byId ?? event.payload.by) : undefined;
  return { ...entry, actor: by ?? ENGINE_ACTOR, resource: `approval/${approvalId}` };
}

function approvalDetail(event: ApprovalEvent): JsonObject {
  switch (event.type) {
    case "approval.requested": {
      const { choices, digest, agentId, policies, approvers, expiresAt, hop, subjectDigest, quorum } = event.payload;
      const asked = { choices, digest, agentId, policies, approvers, expiresAt, hop };
      return {
        ...asked,
        ...(subjectDigest === undefined ? {} : { subjectDigest }),
        ...(quorum === undefined ? {} : { quorum }),
      };
    }
    case "approval.escalated":
      return { hop: event.payload.hop, who: event.payload.who };
    case "approval.answered": {
      const { answers, quorum } = event.payload;
      return { ...answerDetail(event.payload), answers, quorum };
    }
    case "approval.revised":
      return { ...answerDetail(event.payload), subjectDigest: event.payload.subjectDigest };
    case "approval.resolved":
      return { status: event.payload.status, ...answerDetail(event.payload) };
  }
}

type Answer = Partial<EventOf<"approval.resolved">["payload"]>;

/** Details of an answer. Of modifications and form entries only the names are included, not the values. */
function answerDetail({ decision, by, personId, reason, isOverride, modifications, form }: Answer): JsonObject {
  return {
    ...(decision === undefined ? {} : { decision }),
    ...(by === undefined ? {} : { by }),
    ...(personId === undefined ? {} : { personId }),
    ...(reason === undefined ? {} : { reason }),
    ...(isOverride === undefined ? {} : { isOverride }),
    ...(modifications === undefined ? {} : { modified: Object.keys(modifications) }),
    ...(form === undefined ? {} : { entered: Object.keys(form) }),
  };
}
