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
  "at_most_once_lost",
  "block_continued",
  "block_ended_its_run",
  "block_started",
  "branched",
  "budget_blocked",
  "cancelled_in_backoff",
  "cancelled_while_queued",
  "child_cancelled",
  "child_completed",
  "child_failed",
  "child_spent_late",
  "condition_skipped",
  "contract_violated",
  "crash_after_commit",
  "crash_before_commit",
  "criteria_failed",
  "conflict",
  "deferred",
  "dup_callback_seen",
  "escalated",
  "event_after_wait",
  "event_before_wait",
  "event_emitted",
  "event_taken_in_block",
  "for_each_empty",
  "for_each_failed_fast",
  "for_each_partial_failure",
  "for_each_stopped",
  "for_each_too_many_failures",
  "gate_rejected_but_skipped",
  "grandchild_spent_late",
  "form_entered",
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
  "moderated",
  "not_an_approver",
  "outcome_unknown",
  "parent_failed_skip",
  "no_failure",
  "paused_agent",
  "place_admitted",
  "place_full",
  "place_waiting",
  "quorum_answered",
  "queue_timeout",
  "queued_for_slot",
  "race_lost",
  "rate_limited",
  "recovered",
  "restarted",
  "resolved_unbound",
  "retry_then_success",
  "rewound",
  "round_paused",
  "rounds_used_up",
  "run_timed_out",
  "skipped_while_halting",
  "streamed",
  "signal_received",
  "stream_reordered",
  "timed_out",
  "too_many_calls",
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
