import { canonicalJson } from "../base/index.ts";

/**
 * A durable deadline, submitted as a `timer` input when it is due. Each timer contains the data that shows when it is
 * stale:
 * a stale timer changes nothing, so timers never have to be cleared.
 */
export type Timer =
  /** The attempt has reached its time limit. */
  | { readonly kind: "attempt"; readonly nodeId: string; readonly attempt: number }
  /** The process that owned the attempt is gone. Only the driver sends this. `segment`: the execution; absent: the current one. */
  | { readonly kind: "lost"; readonly nodeId: string; readonly attempt: number; readonly segment?: number }
  /** The retry backoff has ended. */
  | { readonly kind: "retry"; readonly nodeId: string; readonly retries: number }
  /** The node has waited too long for a slot or a rate window. */
  | { readonly kind: "queue"; readonly nodeId: string; readonly limitedSince: number }
  /** A node that a gate made wait may now have a slot or a window. Only the driver sends this. */
  | { readonly kind: "wake"; readonly nodeId: string; readonly epoch: number }
  /** The time a node waits for has come, or its wait for an event has timed out. */
  | { readonly kind: "wait"; readonly nodeId: string; readonly epoch: number; readonly until: number }
  /** A run that waits for a place may have one now. */
  | { readonly kind: "place" }
  /** The next round of a repeated node may begin. `eventId` is the event that made it wait. */
  | { readonly kind: "round"; readonly nodeId: string; readonly round: number; readonly eventId: number }
  /** More computed nodes were ready than one input may complete. */
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
 * A child run should have started, reported, been cancelled or been paused like its parent, or its cost after its end
 * should have been
 * reported. The driver does what is missing and then submits the timer, which changes nothing in the engine.
 */
export type ChildTimer = {
  readonly nodeId: string;
  readonly attempt: number;
  readonly childRunId: string;
} & (
  | { readonly kind: "child" | "child-cancel" | "child-pause" }
  /** The last event of the child that is included. Later cost has a timer of its own. */
  | { readonly kind: "child-cost"; readonly eventId: number }
);

/** Returns the key of a timer. It does not depend on the order of the fields. */
export function timerKey(timer: Timer): string {
  return canonicalJson(timer);
}
