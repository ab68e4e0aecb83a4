import { isJsonObject, required } from "../base/index.ts";
import type { Otherwise } from "../definition/index.ts";
import type { EventOf } from "../event/index.ts";
import { findNode } from "./move.ts";
import type { ApprovalChanges, GivenAnswer, NodeState, RunState } from "./state.ts";

type ApprovalEvent =
  | EventOf<"approval.requested">
  | EventOf<"approval.reminded">
  | EventOf<"approval.escalated">
  | EventOf<"approval.answered">
  | EventOf<"approval.revised">
  | EventOf<"approval.resolved">;

export function applyApproval(state: RunState, event: ApprovalEvent): void {
  switch (event.type) {
    case "approval.requested":
      return applyRequested(state, event);
    case "approval.escalated":
      required(state.approvals.get(event.payload.approvalId), "an escalated approval is known").hop = event.payload.hop;
      return;
    case "approval.answered":
      return applyAnswered(state, event);
    case "approval.revised":
      return applyRevised(state, event);
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
    subjectDigest: payload.subjectDigest ?? null,
    subject: (payload.quorum ?? 1) > 1 ? (payload.subject ?? null) : null,
    agentId: payload.agentId,
    policies: payload.policies,
    rule: {
      approvers: payload.approvers,
      otherwise: payload.otherwise as Otherwise | null,
      expiresMs: payload.expiresAt - at,
      isSeparate: payload.isSeparate,
      quorum: payload.quorum ?? 1,
      // The values to show were rendered when the approval opened.
      show: [],
      form: payload.form ?? null,
      confirm: payload.confirm ?? null,
    },
    requestedAt: at,
    expiresAt: payload.expiresAt,
    eventId,
    hop: payload.hop,
    answers: [],
    changes: NO_CHANGES,
    reminded: new Set(),
    status: "pending",
  });
}

/** The name used for the answer when no person of the approval chain has answered. */
export const DEFAULT_ANSWERER = "sluice";

const NO_CHANGES: ApprovalChanges = { modifications: null, form: null };

function applyAnswered(state: RunState, event: EventOf<"approval.answered">): void {
  const approval = required(state.approvals.get(event.payload.approvalId), "an answer is to an approval");
  approval.answers = [...approval.answers, answerOf(event)];
}

/** Replaces earlier answers, because they approved other values. */
function applyRevised(state: RunState, event: EventOf<"approval.revised">): void {
  const { approvalId, digest, subjectDigest, modifications = null, form = null } = event.payload;
  const approval = required(state.approvals.get(approvalId), "a revision is of an approval");
  approval.digest = digest;
  approval.subjectDigest = subjectDigest;
  approval.changes = { modifications, form };
  approval.answers = [answerOf(event)];
}

function answerOf({ payload, at }: EventOf<"approval.answered" | "approval.revised">): GivenAnswer {
  const { by, byId = null, personId = null, decision } = payload;
  return { by, byId, personId, decision, at };
}

/** Stores the answer on the node it is about, until the epoch ends. */
function applyResolved(state: RunState, { payload, at }: EventOf<"approval.resolved">): void {
  const approval = required(state.approvals.get(payload.approvalId), "a resolved approval is known");
  approval.status = payload.status;
  const { by, byId = null, personId = null, decision } = payload;
  // An automatic default is not recorded as the answer of a person.
  if (by !== undefined && by !== DEFAULT_ANSWERER && decision !== undefined) {
    approval.answers = [...approval.answers, { by, byId, personId, decision, at }];
  }
  const node = required(findNode(state, payload.nodeId), "an approval is about a node");
  if (payload.status !== "approved") return;
  if (payload.decision === "retry" && payload.source !== "tool") {
    node.extraAttempts += 1;
    // A turn that reached its limit may have the same number of rounds again.
    if (node.turn !== null) node.turn.extraRounds = node.turn.rounds.length;
  }
  if (payload.source === "gate") {
    node.isGateApproved = true;
    node.entered = payload.form ?? {};
  }
  if (payload.source === "policy") {
    node.grants = [...node.grants, { digest: payload.digest ?? approval.digest, policies: approval.policies }];
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
