import { type ApprovalEvent, type EventOf, isApprovalEvent, type RunEvent } from "../event/index.ts";
import { ATTRIBUTES as A } from "./names.ts";
import type { Attributes, AttributeValue } from "./span.ts";

type Detail = readonly [name: string, value: AttributeValue | null | undefined];

const MICROS_PER_USD = 1_000_000;

export function usdOf(costMicros: number): number {
  return costMicros / MICROS_PER_USD;
}

/**
 * Returns the attributes of an event within a span. Null for events that begin or end a span, and for events that hold content.
 * Prompts, outputs, messages, args and texts of people are never exported.
 */
export function detailsOf(event: RunEvent): Attributes | null {
  const details = listed(event);
  if (details === null) return null;
  const given = details.filter((detail): detail is readonly [string, AttributeValue] => (detail[1] ?? null) !== null);
  return new Map(given);
}

function listed(event: RunEvent): readonly Detail[] | null {
  switch (event.type) {
    case "run.status.changed": {
      const { to, epoch, reason, errorCode } = event.payload;
      return [
        [A.runStatus, to],
        [A.runEpoch, epoch],
        [A.reason, reason],
        [A.errorType, errorCode],
      ];
    }
    case "run.ending": {
      const { as, reason, errorCode } = event.payload;
      return [
        [A.runStatus, as],
        [A.reason, reason],
        [A.errorType, errorCode],
      ];
    }
    case "run.rewound":
      return [[A.runEpoch, event.payload.epoch]];
    case "run.paused":
    case "run.resumed":
      return [[A.reason, event.payload.reason]];
    case "run.recovered":
      return [];
    case "gate.decided": {
      const { disposition, gate, code, verdictId } = event.payload;
      return [
        [A.gateDisposition, disposition],
        [A.gateName, gate],
        [A.gateCode, code],
        [A.verdict, verdictId],
      ];
    }
    default:
      return isApprovalEvent(event) ? approvalDetails(event) : nodeDetails(event);
  }
}

function approvalDetails(event: ApprovalEvent): readonly Detail[] {
  const { approvalId, source } = event.payload;
  const common: readonly Detail[] = [
    [A.approvalId, approvalId],
    [A.approvalSource, source],
  ];
  switch (event.type) {
    case "approval.requested":
      return common;
    case "approval.reminded":
      return [...common, [A.approvalUrgency, event.payload.urgency]];
    case "approval.escalated":
      return [...common, [A.approvalHop, event.payload.hop]];
    case "approval.answered":
    case "approval.revised":
      return [...common, [A.approvalDecision, event.payload.decision]];
    case "approval.resolved": {
      const { status, decision } = event.payload;
      return [...common, [A.approvalStatus, status], [A.approvalDecision, decision]];
    }
  }
}

function nodeDetails(event: RunEvent): readonly Detail[] | null {
  switch (event.type) {
    case "node.queued":
      return [[A.waitingReason, event.payload.waitingReason]];
    case "node.waiting": {
      const { waitingReason, code } = event.payload;
      return [
        [A.waitingReason, waitingReason],
        [A.gateCode, code],
      ];
    }
    case "node.blocked": {
      const { waitingReason, approvalId, errorCode, code } = event.payload;
      return [
        [A.waitingReason, waitingReason],
        [A.approvalId, approvalId],
        [A.errorType, errorCode ?? code],
      ];
    }
    case "node.expanded":
      return [[A.nodeCount, event.payload.count]];
    case "node.round":
      return [[A.round, event.payload.round]];
    case "node.invalidated":
      return [
        [A.nodeId, event.payload.nodeId],
        [A.reason, event.payload.reason],
      ];
    case "node.retried": {
      const { cause, delayMs, nextAttempt, errorCode } = event.payload;
      return [
        [A.retryCause, cause],
        [A.retryDelay, Math.round(delayMs)],
        [A.nextAttempt, nextAttempt],
        [A.errorType, errorCode],
      ];
    }
    case "tool.decided":
      return callDetails(event);
    case "moderation.flagged":
      return [[A.phase, event.payload.phase]];
    case "contract.violated":
      return [
        [A.phase, event.payload.phase],
        [A.problemCount, event.payload.errors.length],
      ];
    case "cost.recorded": {
      const { nodeId, attempt, costMicros, late } = event.payload;
      return [
        [A.nodeId, nodeId],
        [A.attempt, attempt],
        [A.cost, usdOf(costMicros)],
        [A.isLate, late],
      ];
    }
    case "child.started":
      return [[A.childRunId, event.payload.childRunId]];
    case "child.finished":
      return [
        [A.childRunId, event.payload.childRunId],
        [A.childStatus, event.payload.status],
      ];
    default:
      return null;
  }
}

function callDetails({ payload }: EventOf<"tool.decided">): readonly Detail[] | null {
  const { callId, disposition, gate, code, verdictId, approvalId, carried } = payload;
  if (carried === true) return null;
  return [
    [A.toolCallId, callId],
    [A.gateDisposition, disposition],
    [A.gateName, gate],
    [A.gateCode, code],
    [A.verdict, verdictId],
    [A.approvalId, approvalId],
  ];
}
