import type { ApprovalEvent, ApprovalSource, EventOf } from "../event/index.ts";
import type { RunView } from "./run-view.ts";

export function reduceApproval(view: RunView, event: ApprovalEvent): void {
  if (event.type === "approval.requested") return reduceRequested(view, event);
  const known = view.approvals.get(event.payload.approvalId);
  if (known === undefined || event.type === "approval.reminded") return;
  if (event.type === "approval.escalated") {
    view.approvals.set(known.id, { ...known, hop: event.payload.hop });
    return;
  }
  if (event.type === "approval.answered") {
    view.approvals.set(known.id, { ...known, answers: event.payload.answers });
    return;
  }
  if (event.type === "approval.revised") {
    const { digest, subject, subjectDigest } = event.payload;
    view.approvals.set(known.id, { ...known, answers: 1, title: subject.title, digest, subjectDigest });
    return;
  }
  const { status, decision = null, by = null, reason = null } = event.payload;
  view.approvals.set(known.id, { ...known, status, decision, by, reason, resolvedAt: event.at });
}

/** Sources whose approval title is the label of the node. The titles of other approvals describe the outcome of the node. */
const TITLED: ReadonlySet<ApprovalSource> = new Set(["gate", "policy"]);

function reduceRequested(view: RunView, { payload, at }: EventOf<"approval.requested">): void {
  const node = view.nodes.get(payload.nodeId);
  const title = TITLED.has(payload.source) ? payload.subject?.title : undefined;
  if (node !== undefined && title !== undefined) view.nodes.set(node.id, { ...node, title });
  view.approvals.set(payload.approvalId, {
    id: payload.approvalId,
    nodeId: payload.nodeId,
    source: payload.source,
    status: "pending",
    choices: payload.choices,
    summary: payload.summary,
    rendered: payload.rendered,
    digest: payload.digest,
    agentId: payload.agentId,
    approvers: payload.approvers.map(({ who }) => who),
    hop: payload.hop,
    title: payload.subject?.title ?? payload.summary,
    subjectDigest: payload.subjectDigest ?? null,
    quorum: payload.quorum ?? 1,
    answers: 0,
    requestedAt: at,
    expiresAt: payload.expiresAt,
    resolvedAt: null,
    decision: null,
    by: null,
    reason: null,
  });
}
