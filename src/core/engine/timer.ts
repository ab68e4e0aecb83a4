import { canonicalJson } from "../base/index.ts";

/**
 * A durable deadline, submitted as a `timer` input when it is due. Each carries what makes it stale:
 * a timer that no longer fits the state changes nothing, so none ever has to be cleared.
 */
export type Timer =
  /** The attempt has run too long. */
  | { readonly kind: "attempt"; readonly nodeId: string; readonly attempt: number }
  /** The process that owned the attempt is gone; fired by the driver, never set by the engine. `segment`: which execution; absent: the present one. */
  | { readonly kind: "lost"; readonly nodeId: string; readonly attempt: number; readonly segment?: number }
  /** Backoff is over. */
  | { readonly kind: "retry"; readonly nodeId: string; readonly retries: number }
  /** The node has waited too long for a slot or a rate window. */
  | { readonly kind: "queue"; readonly nodeId: string; readonly limitedSince: number }
  /** A slot or a window may be free for a node a gate made wait; submitted by the driver, never set by the engine. */
  | { readonly kind: "wake"; readonly nodeId: string; readonly epoch: number }
  /** The moment a node waits for has come, or it has waited long enough for an event. */
  | { readonly kind: "wait"; readonly nodeId: string; readonly epoch: number; readonly until: number }
  /** A run that waits for a place may have one by now. */
  | { readonly kind: "place" }
  /** The next round of a repeated node may begin; the event made it wait. */
  | { readonly kind: "round"; readonly nodeId: string; readonly round: number; readonly eventId: number }
  /** More nodes that only compute were ready than one input may complete. */
  | { readonly kind: "continue"; readonly eventId: number }
  | ChildTimer
  | { readonly kind: "approval-hop"; readonly approvalId: string; readonly hop: number }
  | { readonly kind: "approval-expiry"; readonly approvalId: string }
  | {
      readonly kind: "approval-reminder";
      readonly approvalId: string;
      readonly urgency: "normal" | "elevated" | "critical";
    }
  | { readonly kind: "run"; readonly epoch: number };

/**
 * A child run should have been started, have reported, have been cancelled, or be paused as its parent is; or the cost it had after its end should
 * have been reported. The driver does what is missing and then submits the timer, which changes nothing in the engine.
 */
export type ChildTimer = {
  readonly nodeId: string;
  readonly attempt: number;
  readonly childRunId: string;
} & (
  | { readonly kind: "child" | "child-cancel" | "child-pause" }
  /** Up to which of the child's events: what it spends later has a timer of its own. */
  | { readonly kind: "child-cost"; readonly eventId: number }
);

/** The same timer has the same key, whatever order its fields came in. */
export function timerKey(timer: Timer): string {
  return canonicalJson(timer);
}
