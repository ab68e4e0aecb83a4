import { isJsonObject, required } from "../base/index.ts";
import type { Otherwise } from "../definition/index.ts";
import type { EventOf } from "../event/index.ts";
import { findNode } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

type ApprovalEvent =
  | EventOf<"approval.requested">
  | EventOf<"approval.reminded">
  | EventOf<"approval.escalated">
  | EventOf<"approval.resolved">;

export function applyApproval(state: RunState, event: ApprovalEvent): void {
  switch (event.type) {
    case "approval.requested":
      return applyRequested(state, event);
    case "approval.escalated":
      required(state.approvals.get(event.payload.approvalId), "an escalated approval is known").hop = event.payload.hop;
      return;
    case "approval.resolved":
      return applyResolved(state, event);
    case "approval.reminded":
      required(state.approvals.get(event.payload.approvalId), "a reminder is of an approval").reminded.add(
        event.payload.urgency,
      );
      return;
  }
}

function applyRequested(state: RunState, { payload, at, eventId }: EventOf<"approval.requested">): void {
  const node = required(findNode(state, payload.nodeId), "an approval is about a node");
  if (payload.source === "escalation") node.hasEscalated = true;
  state.approvals.set(payload.approvalId, {
    id: payload.approvalId,
    nodeId: payload.nodeId,
    source: payload.source,
    choices: payload.choices,
    epoch: payload.epoch,
    digest: payload.digest,
    agentId: payload.agentId,
    policies: payload.policies,
    rule: {
      approvers: payload.approvers,
      otherwise: payload.otherwise as Otherwise | null,
      expiresMs: payload.expiresAt - at,
      isSeparate: payload.isSeparate,
    },
    requestedAt: at,
    expiresAt: payload.expiresAt,
    eventId,
    hop: payload.hop,
    reminded: new Set(),
    status: "pending",
  });
}

/** An answer is kept on the node it is about, for as long as the epoch lasts. */
function applyResolved(state: RunState, { payload }: EventOf<"approval.resolved">): void {
  const approval = required(state.approvals.get(payload.approvalId), "a resolved approval is known");
  approval.status = payload.status;
  const node = required(findNode(state, payload.nodeId), "an approval is about a node");
  if (payload.status !== "approved") return;
  if (payload.decision === "retry") node.extraAttempts += 1;
  if (payload.source === "gate") node.isGateApproved = true;
  if (payload.source === "policy") {
    node.grants = [...node.grants, { digest: approval.digest, policies: approval.policies }];
  }
  keepModifications(node, payload.modifications ?? {});
}

function keepModifications(
  node: NodeState,
  modifications: NonNullable<EventOf<"approval.resolved">["payload"]["modifications"]>,
): void {
  const { inputs, values, assignTo } = modifications;
  if (isJsonObject(inputs)) node.values = { ...node.values, ...inputs };
  if (isJsonObject(values)) node.values = { ...node.values, ...values };
  if (typeof assignTo === "string") node.assignedTo = assignTo;
}
