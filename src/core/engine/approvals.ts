import { digestJson, type Json, type JsonObject } from "../base/index.ts";
import type { ApprovalRule } from "../definition/index.ts";
import type { ApprovalSource, Decision, EventPayload, Subject } from "../event/index.ts";
import { hideCredentials } from "../redaction/index.ts";
import { reachFrom } from "./approval-answer.ts";
import type { BoundRequest } from "./effect.ts";
import type { HoldFacts } from "./input.ts";
import type { ApprovalState, NodeState } from "./state.ts";
import { subjectOf } from "./subject.ts";
import { about, deriveId, emit, perform, requireNode, setTimer, type Turn } from "./turn.ts";

const HOUR_MS = 3_600_000;
/** When people are reminded, counted from when they were asked. No reminder is sent after the approval has expired. */
export const APPROVAL_REMINDERS = [
  { urgency: "normal", afterMs: HOUR_MS },
  { urgency: "elevated", afterMs: 24 * HOUR_MS },
  { urgency: "critical", afterMs: 72 * HOUR_MS },
] as const;

export interface Question {
  readonly source: ApprovalSource;
  /** The question for people, with its templates filled. */
  readonly title: string;
  readonly summary: string;
  readonly choices: readonly Decision[];
  readonly rule: ApprovalRule;
  readonly agentId: string | null;
  readonly policies: readonly string[];
  /** The work to be approved, as text for the person who answers. */
  readonly rendered: string;
  readonly digest: string;
  /** The request that is sent after approval. Null when nothing is sent. */
  readonly request: BoundRequest | null;
  /** The inputs bound to the node, whether they are sent or not. */
  readonly inputs: JsonObject;
  /** The facts from governance. Null when governance was not queried. */
  readonly facts: HoldFacts | null;
  /** The tool call the question is about. Absent when it is not about a call. */
  readonly call?: { readonly id: string; readonly isUnknown: boolean };
}

/** Binds an answer to one exact request: another text, other inputs or another policy version need a new answer. */
export function digestRequest(node: NodeState, request: BoundRequest, policies: readonly string[]): string {
  const { message, stdin, inputs } = request;
  return digestJson({ node: node.id, epoch: node.epoch, message, stdin, inputs, policies: [...policies] });
}

export function digestQuestion(node: NodeState, subject: Json): string {
  return digestJson({ node: node.id, epoch: node.epoch, subject });
}

/** Binds an answer to everything that was shown, including cost, trust and starter, on which no grant depends. */
export function digestSubject(subject: Subject): string {
  return digestJson(subject as unknown as Json);
}

/** Opens an approval; the caller blocks the node with the id this returns. */
export function ask(turn: Turn, node: NodeState, question: Question): string {
  const { rule, source, choices, agentId, digest } = question;
  const summary = hideCredentials(question.summary);
  const rendered = hideCredentials(question.rendered);
  const subject = subjectOf(turn, node, question);
  const subjectDigest = digestSubject(subject);
  const approvalId = deriveId(turn, "apr");
  const expiresAt = turn.at + rule.expiresMs;
  const hop = reachFrom(rule.approvers, 0);
  emit(turn, "approval.requested", {
    ...about(node),
    approvalId,
    source,
    choices: [...choices],
    epoch: node.epoch,
    digest,
    summary,
    rendered,
    agentId,
    policies: [...question.policies],
    approvers: rule.approvers.map((approver) => ({ ...approver })),
    otherwise: rule.otherwise,
    isSeparate: rule.isSeparate,
    expiresAt,
    hop,
    subject,
    subjectDigest,
    ...(rule.quorum === 1 ? {} : { quorum: rule.quorum }),
    ...(rule.form === null ? {} : { form: rule.form }),
    ...(rule.confirm === null ? {} : { confirm: rule.confirm }),
  });
  const attempt = node.attempts === 0 ? null : node.attempts;
  perform(turn, {
    type: "open-approval",
    approvalId,
    nodeId: node.id,
    attempt,
    epoch: node.epoch,
    source,
    summary,
    agentId,
    digest,
    rendered,
    choices,
    rule,
    hop,
    subject,
    subjectDigest,
    requestedAt: turn.at,
    expiresAt,
  });
  perform(turn, { type: "notify", kind: "approval", nodeId: node.id, message: summary, approvalId });
  setTimer(turn, { kind: "approval-expiry", approvalId }, expiresAt);
  for (const { urgency, afterMs } of APPROVAL_REMINDERS) {
    if (afterMs < rule.expiresMs) setTimer(turn, { kind: "approval-reminder", approvalId, urgency }, turn.at + afterMs);
  }
  armHop(turn, approvalId, rule, hop);
  return approvalId;
}

/** Sets the time at which the next approver in the chain is asked, when the current one has a time limit. */
export function armHop(turn: Turn, approvalId: string, rule: ApprovalRule, hop: number): void {
  const within = rule.approvers[hop]?.withinMs ?? null;
  if (within !== null) setTimer(turn, { kind: "approval-hop", approvalId, hop }, turn.at + within);
}

export type Answer = Omit<EventPayload<"approval.resolved">, "nodeId" | "attempt" | "approvalId" | "source">;

export function closeApproval(turn: Turn, approval: ApprovalState, answer: Answer): void {
  const { nodeId, source } = approval;
  emit(turn, "approval.resolved", {
    ...about(requireNode(turn.state, nodeId)),
    approvalId: approval.id,
    source,
    ...answer,
  });
  perform(turn, { type: "close-approval", approvalId: approval.id });
}

/** Returns the open approval that a blocked node waits for. */
export function approvalOf(turn: Turn, node: NodeState): ApprovalState | undefined {
  if (node.now.status !== "blocked" || node.now.approvalId === null) return undefined;
  const approval = turn.state.approvals.get(node.now.approvalId);
  return approval?.status === "pending" ? approval : undefined;
}
