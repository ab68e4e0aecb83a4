import { openDispatchId, type Effect, type Timer } from "../../core/engine/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { OpenAttempt } from "../../store/index.ts";
import type { Attempts } from "./attempts.ts";
import type { Children } from "./children.ts";
import type { Committed } from "./committer-options.ts";
import type { Deadlines } from "./deadlines.ts";
import { hasEndedIn } from "./derive-commit.ts";
import { newWaiters } from "./derive-events.ts";
import type { DueTimers } from "./due-timers.ts";
import type { EventMatcher } from "./event-matcher.ts";
import type { InputQueue } from "./input-queue.ts";
import type { Lease } from "./lease.ts";
import type { Listeners } from "./listeners.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { Parked } from "./parking.ts";

export interface AfterCommitOptions {
  readonly queue: InputQueue;
  readonly lease: Pick<Lease, "replicaId">;
  readonly attempts: Attempts;
  readonly deadlines: Deadlines;
  readonly children: Children;
  readonly dueTimers: DueTimers;
  readonly listeners: Listeners;
  readonly matcher: Pick<EventMatcher, "committed">;
}

/**
 * Performs the consequences of a commit in this order: clears obsolete deadlines, performs effects, notifies parents and
 * children of an end, passes the events to listeners. Nothing here can undo the commit.
 */
export class AfterCommit {
  readonly #options: AfterCommitOptions;

  constructor(options: AfterCommitOptions) {
    this.#options = options;
  }

  /** `gone` are the timers that the commit has cleared. */
  committed({ live, facts, effects }: Committed, gone: readonly Timer[]): void {
    const { deadlines, attempts, children, listeners, matcher } = this.#options;
    const { runId, status } = live.state;
    for (const timer of gone) deadlines.clear(runId, timer);
    for (const key of facts.ended.values()) {
      deadlines.clear(runId, { kind: "attempt", ...key });
    }
    for (const dispatchId of facts.endedDispatches) attempts.forget(dispatchId);
    for (const effect of effects) this.#perform(live, effect);
    const { events } = facts;
    const emitted = effects.flatMap((effect) => (effect.type === "emit-event" ? [effect.event.id] : []));
    const waiters = newWaiters(live, events);
    if (emitted.length + waiters.length > 0) matcher.committed(live, waiters, emitted);
    if (isTerminal(status) && events.length > 0) children.ended(live, !hasEndedIn(events));
    listeners.notify(runId, events, live.run);
  }

  parked({ runId, orgId, events, closed, parentTimer, children }: Parked): void {
    const { attempts, children: childRuns, dueTimers, listeners } = this.#options;
    attempts.abandon(runId, closed);
    for (const childRunId of children) childRuns.abandon(childRunId);
    if (parentTimer !== null) dueTimers.found(parentTimer.runId, parentTimer.timer);
    listeners.notify(runId, events, { orgId });
  }

  /** A loaded run may have open attempts of this replica that were never sent, after a commit whose answer was lost. */
  loaded({ state }: DrivenRun, { nodeId, attempt, replicaId, deadlineAt }: OpenAttempt): void {
    const { runId } = state;
    const { deadlines, attempts, lease, queue } = this.#options;
    if (deadlineAt !== null) deadlines.set(runId, { kind: "attempt", nodeId, attempt }, deadlineAt);
    if (replicaId !== lease.replicaId || attempts.isOpen(openDispatchId(state, { nodeId, attempt }))) return;
    queue.enqueue(runId, attempts.lost({ kind: "lost", nodeId, attempt }));
  }

  #perform(live: DrivenRun, effect: Effect): void {
    const { attempts, children, deadlines } = this.#options;
    switch (effect.type) {
      case "dispatch":
        return attempts.send(live, effect);
      case "cancel-dispatch":
        return attempts.cancel(live, effect);
      case "start-child":
        return children.start(live, effect);
      case "cancel-child":
        return children.cancel(live, effect);
      case "pause-child":
        return children.pause(live, effect.childRunId);
      case "set-timer":
        return deadlines.set(live.state.runId, effect.timer, effect.dueAt);
      default:
        // Approval rows are part of the same commit, and the events contain what to notify about.
        return;
    }
  }
}
