/** Converts stored records into the form of the API. */
import type { Approval, Key, ListPage, PlanDescription, Run, Workflow } from "../contract/index.ts";
import { describePlanToDraw, type Plan } from "../core/plan/index.ts";
import type { PauseFact } from "../core/event/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { pauseOnWire, runPauseOnWire } from "./shown-pause.ts";
import {
  type ApprovalRecord,
  type ErasureRecord,
  isLaunchApproval,
  type KeyRecord,
  type Listed,
  type RunRecord,
  type WorkflowRecord,
} from "../store/index.ts";

export function erasureOnWire({ at, by, sha256 }: ErasureRecord): NonNullable<Run["erased"]> {
  return { at: isoFromEpochMs(at), by, sha256 };
}

/** `waitingFor` should include child runs; the default is what the run itself waits for. */
export function runOnWire(
  run: RunRecord,
  waitingFor = run.waitingFor === "child" ? null : run.waitingFor,
  paused = run.paused,
): Run {
  return {
    id: run.runId,
    workflow: run.workflow,
    version: run.version,
    hash: run.definitionHash,
    status: run.status,
    args: run.args,
    trigger: run.trigger,
    model: run.model,
    gateway: run.gateway,
    roleBindings: { ...run.roleBindings },
    priority: run.priority,
    ...(run.team === null ? {} : { team: run.team }),
    labels: { ...run.labels },
    traceId: run.traceId,
    rootSpanId: run.rootSpanId,
    ...(run.parentRunId === null ? {} : { parentRunId: run.parentRunId }),
    ...(run.block === null ? {} : { block: run.block }),
    ...(run.sourceRunId === null ? {} : { sourceRunId: run.sourceRunId }),
    recursionDepth: run.recursionDepth,
    epoch: run.epoch,
    createdAt: isoFromEpochMs(run.createdAt),
    ...(run.startedAt === null ? {} : { startedAt: isoFromEpochMs(run.startedAt) }),
    ...(run.endedAt === null ? {} : { completedAt: isoFromEpochMs(run.endedAt) }),
    costMicros: run.costMicros,
    lastEventId: run.lastEventId,
    waitingFor,
    paused: runPauseOnWire(paused),
    ...errorOf(run),
  };
}

function errorOf({ errorCode, errorMessage }: RunRecord): Pick<Run, "error"> {
  if (errorCode === null && errorMessage === null) return {};
  return { error: { code: errorCode, message: errorMessage ?? "" } };
}

export function workflowOnWire(workflow: WorkflowRecord, pause?: PauseFact): Workflow {
  const { name, status, posture, isExposed, latest } = workflow;
  const { savedAt, ...version } = latest;
  const head = { ...version, name, status, posture, exposed: isExposed };
  return { ...head, savedAt: isoFromEpochMs(savedAt), paused: pause === undefined ? null : pauseOnWire(pause) };
}

export function approvalOnWire(approval: ApprovalRecord): Approval {
  const isLaunch = isLaunchApproval(approval);
  return {
    id: approval.id,
    runId: isLaunch ? null : approval.runId,
    nodeId: isLaunch ? null : approval.nodeId,
    attempt: approval.attempt,
    epoch: approval.epoch,
    source: approval.source,
    summary: approval.summary,
    agentId: approval.agentId,
    digest: approval.digest,
    rendered: approval.rendered,
    choices: [...approval.choices],
    approvers: approval.approvers.map((approver) => ({ ...approver })),
    isSeparate: approval.isSeparate,
    status: approval.status,
    decision: approval.choice,
    requestedAt: isoFromEpochMs(approval.requestedAt),
    expiresAt: isoFromEpochMs(approval.expiresAt),
    resolvedBy: approval.resolvedBy,
    resolvedAt: isoOrNull(approval.resolvedAt),
    reason: approval.reason,
    modifications: approval.modifications,
    workflow: approval.workflow,
    title: approval.title,
    // Plain JSON, in which a member without a value is absent.
    subject: approval.subject as Approval["subject"],
    subjectDigest: approval.subjectDigest,
    quorum: approval.quorum,
    answers: approval.answers.map((answer) => ({ ...answer, at: isoFromEpochMs(answer.at) })),
    hop: approval.hop,
    form: approval.form as Approval["form"],
    entered: approval.entered,
    confirm: approval.confirm,
    assignee: approval.assignee,
  };
}

/** Returns a key without its hash, which only the server uses. */
export function keyOnWire(key: KeyRecord): Key {
  return {
    id: key.id,
    label: key.label,
    permissions: [...key.permissions],
    agent: key.agentId,
    createdBy: key.createdBy,
    person: key.personId,
    createdAt: isoFromEpochMs(key.createdAt),
    expiresAt: isoOrNull(key.expiresAt),
    revokedAt: isoOrNull(key.revokedAt),
  };
}

export function listOnWire<T, W>({ data, nextCursor }: Listed<T>, show: (item: T) => W): ListPage<W> {
  return { data: data.map(show), ...(nextCursor === null ? {} : { nextCursor }) };
}

/** The core builds plain JSON; tests compare it with the schema. */
export function planOnWire(plan: Plan): PlanDescription {
  return describePlanToDraw(plan) as unknown as PlanDescription;
}

function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoFromEpochMs(epochMs);
}
