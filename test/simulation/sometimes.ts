/**
 * Things that must happen in some schedule. A simulator that stops meeting them has gone blind, and its green means
 * nothing; so the standing test fails when one of these was never seen.
 */
export const MARKERS = [
  "approval_expired",
  "approval_hop",
  "approval_raced",
  "approval_refused",
  "approval_revised",
  "approve_vs_cancel",
  "args_changed",
  "at_most_once_lost",
  "block_continued",
  "block_ended_its_run",
  "block_started",
  "branched",
  "budget_blocked",
  "call_denied",
  "call_held",
  "call_waited_for",
  "called_again",
  "cancelled_in_backoff",
  "cancelled_while_queued",
  "changed_args_denied",
  "child_cancelled",
  "child_completed",
  "child_failed",
  "child_spent_late",
  "condition_skipped",
  "conflict",
  "contract_violated",
  "crash_after_commit",
  "crash_before_commit",
  "criteria_failed",
  "deferred",
  "dup_callback_seen",
  "escalated",
  "event_after_wait",
  "event_before_wait",
  "event_emitted",
  "event_taken_in_block",
  "execution_lost",
  "execution_over",
  "for_each_empty",
  "for_each_failed_fast",
  "for_each_partial_failure",
  "for_each_stopped",
  "for_each_too_many_failures",
  "form_entered",
  "gate_rejected_but_skipped",
  "grandchild_spent_late",
  "halted_fail_fast",
  "halted_wait_all",
  "handled",
  "handler_failed",
  "held",
  "inputs_changed",
  "join_reached",
  "join_unreachable",
  "late_cost",
  "late_result_after_cancel",
  "late_result_after_timeout",
  "lens_substituted",
  "lost_attempt_resent",
  "model_fallback",
  "moderated",
  "no_failure",
  "not_an_approver",
  "outcome_asked",
  "outcome_unknown",
  "parent_failed_skip",
  "paused_agent",
  "place_admitted",
  "place_full",
  "place_waiting",
  "question_withdrawn",
  "queue_timeout",
  "queued_for_slot",
  "quorum_answered",
  "race_lost",
  "rate_limited",
  "recovered",
  "resolved_unbound",
  "restarted",
  "retry_then_success",
  "rewound",
  "round_paused",
  "rounds_used_up",
  "run_timed_out",
  "signal_received",
  "skipped_while_halting",
  "stream_reordered",
  "streamed",
  "timed_out",
  "too_many_calls",
  "turn_continued",
  "turn_out_of_money",
  "turn_out_of_rounds",
  "turn_suspended",
  "unassigned",
  "upstream_failure",
  "wait_elapsed",
  "wait_timed_out",
] as const;
export type Marker = (typeof MARKERS)[number];

/** Counts how often each marker was met. */
export class Sometimes {
  readonly seen = new Map<Marker, number>();

  hit(marker: Marker): void {
    this.seen.set(marker, (this.seen.get(marker) ?? 0) + 1);
  }

  add(other: Sometimes): void {
    for (const [marker, times] of other.seen) this.seen.set(marker, (this.seen.get(marker) ?? 0) + times);
  }

  missing(): readonly Marker[] {
    return MARKERS.filter((marker) => !this.seen.has(marker));
  }
}
