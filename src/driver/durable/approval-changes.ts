import type { OpenApproval, RunState } from "../../core/engine/index.ts";
import type { EventOf, RunEvent } from "../../core/event/index.ts";
import {
  type ApprovalChange,
  type ApprovalClosing,
  type ApprovalRecord,
  type RunCommit,
  type RunRecord,
  UNANSWERED,
} from "../../store/index.ts";

/** Returns the row of an approval that is opened. */
export function approvalRecord(
  effect: OpenApproval,
  { orgId, workflow }: Pick<RunRecord, "orgId" | "workflow">,
  runId: string,
): ApprovalRecord {
  const { approvalId: id, rule, type: _type, ...asked } = effect;
  return {
    id,
    orgId,
    runId,
    ...UNANSWERED,
    ...asked,
    workflow,
    title: asked.subject.title,
    approvers: rule.approvers,
    isSeparate: rule.isSeparate,
    quorum: rule.quorum,
    form: rule.form,
    confirm: rule.confirm,
  };
}

/** Returns the approval changes of a commit's events, in order. For a closed approval, only its end counts. */
export function approvalChanges(
  events: readonly RunEvent[],
  state: RunState,
): Pick<RunCommit, "approvalsChanged" | "approvalsClosed"> {
  const changed: ApprovalChange[] = [];
  const closed: ApprovalClosing[] = [];
  for (const event of events) {
    if (event.type === "approval.resolved") closed.push(closingOf(event, state));
    if (event.type === "approval.answered" || event.type === "approval.escalated" || event.type === "approval.revised")
      changed.push(changeOf(event, state));
  }
  return { approvalsChanged: changed, approvalsClosed: closed };
}

type Changing = EventOf<"approval.answered" | "approval.escalated" | "approval.revised">;

function changeOf({ type, payload }: Changing, { approvals }: RunState): ApprovalChange {
  const approval = approvals.get(payload.approvalId);
  const now = { id: payload.approvalId, hop: approval?.hop ?? 0, answers: approval?.answers ?? [] };
  if (type !== "approval.revised") return now;
  const { subject, subjectDigest, digest, modifications = null, form = null } = payload;
  return { ...now, title: subject.title, subject, subjectDigest, digest, modifications, entered: form };
}

function closingOf({ payload, at }: EventOf<"approval.resolved">, { approvals }: RunState): ApprovalClosing {
  return {
    id: payload.approvalId,
    status: payload.status,
    choice: payload.decision ?? null,
    resolvedBy: payload.by ?? null,
    resolvedAt: at,
    reason: payload.reason ?? null,
    modifications: payload.modifications ?? null,
    entered: payload.form ?? null,
    answers: approvals.get(payload.approvalId)?.answers ?? [],
  };
}
