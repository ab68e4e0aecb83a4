import type { EventOf, RunEvent } from "../../../src/core/event/index.ts";
import type { Marker, Sometimes } from "../sometimes.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import type { Checker, Seen, Surroundings } from "./checker.ts";

/** Judges nothing: notes which of the interesting things happened. */
export function notesMarkers(sometimes: Sometimes, around: Surroundings): Checker {
  return {
    id: "markers",
    beforeEvent({ facts, node, event, turn }: Seen): void {
      if (event.type === "event.received" && node !== undefined) noteReceived(sometimes, around, node, event.payload);
      const isTimer = turn.input.type === "timer" && turn.input.timer.kind === "wait";
      if (isTimer && node?.status === "blocked")
        sometimes.hit(node.waitingReason === "timer" ? "wait_elapsed" : "wait_timed_out");
      const marker = markerOf(facts, node, event);
      if (marker !== null) sometimes.hit(marker);
      if (turn.input.type === "timer" && turn.input.timer.kind === "lost") noteLost(sometimes, event);
      if (event.type === "node.completed" && node !== undefined && node.tries > 1) sometimes.hit("retry_then_success");
      if (event.type === "cost.recorded" && event.payload.late === true && node !== undefined) {
        if (node.status === "cancelled") sometimes.hit("late_result_after_cancel");
        else if (turn.input.type === "callback") sometimes.hit("late_result_after_timeout");
      }
    },
    afterTurn(facts, { input, refusal, effects }): void {
      if (input.type === "approval" && refusal !== undefined) {
        sometimes.hit("approval_refused");
        if (refusal.code === "not_an_approver") sometimes.hit("not_an_approver");
        if (facts.ending === "cancelled" || facts.status === "cancelled") sometimes.hit("approve_vs_cancel");
      }
      if (input.type === "event" && refusal?.code === "event_taken" && facts.workflow.isBlock)
        sometimes.hit("event_taken_in_block");
      if (effects.some((effect) => effect.type === "dispatch" && effect.isResend)) sometimes.hit("lost_attempt_resent");
    },
  };
}

function noteReceived(
  sometimes: Sometimes,
  { happenings }: Surroundings,
  { blockedAt }: NodeFacts,
  { id, type }: { readonly id: string; readonly type: string },
): void {
  if (type.startsWith("signal:")) sometimes.hit("signal_received");
  const sent = happenings.find((happening) => happening.id === id);
  if (sent !== undefined) sometimes.hit(sent.at < blockedAt ? "event_before_wait" : "event_after_wait");
}

function noteLost(sometimes: Sometimes, event: RunEvent): void {
  const isUnknown = "errorCode" in event.payload && event.payload.errorCode === "outcome_unknown";
  if (isUnknown) sometimes.hit("at_most_once_lost");
}

function markerOf(facts: RunFacts, node: NodeFacts | undefined, event: RunEvent): Marker | null {
  switch (event.type) {
    case "approval.escalated":
      return "approval_hop";
    case "approval.requested":
      if (event.payload.source === "tool" && event.payload.choices.includes("retry")) return "outcome_asked";
      return event.payload.source === "escalation" ? "escalated" : null;
    case "tool.decided":
      return event.payload.args === undefined ? null : "args_changed";
    case "node.retried":
      return event.payload.model === undefined ? null : "model_fallback";
    case "approval.answered":
      return "quorum_answered";
    case "approval.revised":
      return "approval_revised";
    case "approval.resolved":
      if (event.payload.source === "tool") return callMarker(event.payload);
      if (event.payload.form !== undefined) return "form_entered";
      if (event.payload.modifications !== undefined) return "inputs_changed";
      return event.payload.status === "expired" ? "approval_expired" : null;
    case "contract.violated":
      return "contract_violated";
    case "cost.recorded":
      return event.payload.late === true ? "late_cost" : null;
    case "event.emitted":
      return "event_emitted";
    case "node.blocked":
      return node !== undefined &&
        node.plan.repeat !== null &&
        node.plan.kind !== "wait" &&
        event.payload.until !== undefined
        ? "round_paused"
        : null;
    case "node.timed_out":
      return "timed_out";
    case "node.stream.delta":
      return "streamed";
    case "node.skipped":
      return skipMarker(facts, event.payload.reason);
    case "node.failed":
      return failMarker(node, event.payload.errorCode);
    case "node.cancelled":
      return cancelMarker(facts, node, event.payload.reason);
    case "node.completed":
      return completionMarker(node, event);
    case "run.timed_out":
      return "run_timed_out";
    case "run.recovered":
      return "recovered";
    case "run.paused":
      return event.payload.isWithParent === true ? "paused_with_parent" : "paused";
    case "run.rewound":
      return "rewound";
    case "run.ending":
      return endingMarker(facts, event.payload.as);
    case "node.handled":
      return "handled";
    case "node.queued":
      if (event.payload.counted !== undefined) return "join_reached";
      return node?.status === "awaiting_dependency" && isSubstituted(facts, node) ? "lens_substituted" : null;
    default:
      return null;
  }
}

function callMarker({ decision, reason, status }: EventOf<"approval.resolved">["payload"]): Marker | null {
  if (decision === "retry") return "called_again";
  if (reason === "the call has reported") return "question_withdrawn";
  return status === "expired" ? "approval_expired" : null;
}

function skipMarker(facts: RunFacts, reason: string): Marker | null {
  if (reason === "on_failure" && facts.ending === "failed") return "skipped_while_halting";
  if (reason === "no_failure" || reason === "join_unreachable" || reason === "race_lost") return reason;
  return reason === "condition_false" ? "condition_skipped" : reason === "parent_failed" ? "parent_failed_skip" : null;
}

function failMarker(node: NodeFacts | undefined, code: string): Marker | null {
  switch (code) {
    case "upstream_failure":
    case "criteria_failed":
    case "outcome_unknown":
    case "too_many_calls":
      return code;
    case "repeat_exhausted":
      return "rounds_used_up";
    case "too_many_failures":
      return "for_each_too_many_failures";
    case "provider_auth":
    case "provider_error":
      return node !== undefined && [...node.plan.outcomes.values()].includes("failure") ? "handler_failed" : null;
    case "agent_busy":
    case "rate_limited":
      return node?.status === "queued" ? "queue_timeout" : null;
    default:
      return null;
  }
}

function cancelMarker(facts: RunFacts, node: NodeFacts | undefined, reason: string): Marker | null {
  if (reason === "cancelled_by_sibling" && facts.ending === null) {
    return node?.plan.isFailFast === true ? "for_each_failed_fast" : "for_each_stopped";
  }
  if (reason === "cancelled_by_sibling") return "halted_fail_fast";
  if (reason === "rewound") return null;
  if (node?.status === "retrying") return "cancelled_in_backoff";
  return node?.status === "queued" ? "cancelled_while_queued" : null;
}

function completionMarker(
  node: NodeFacts | undefined,
  event: Extract<RunEvent, { type: "node.completed" }>,
): Marker | null {
  const { outputs } = event.payload;
  if (node?.plan.forEach !== null && node?.owner === null) {
    if (outputs["count"] === 0) return "for_each_empty";
    return outputs["failed"] === 0 ? null : "for_each_partial_failure";
  }
  return node?.plan.kind === "gate" && outputs["approved"] === false ? "gate_rejected_but_skipped" : null;
}

function endingMarker(facts: RunFacts, as: string): Marker | null {
  if (as !== "failed") return null;
  const inFlight = [...facts.nodes.values()].some(({ openAttempt }) => openAttempt > 0);
  return inFlight ? "halted_wait_all" : null;
}

function isSubstituted(facts: RunFacts, node: NodeFacts): boolean {
  return node.plan.parents.some((index) => {
    const status = facts.nodes.get(facts.workflow.plan.nodes[index]?.id ?? "")?.status;
    return status === "failed" || status === "timed_out" || status === "cancelled";
  });
}
