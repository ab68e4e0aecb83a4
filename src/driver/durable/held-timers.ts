import type { Timer } from "../../core/engine/index.ts";

/** The timers of one run that have a row, found by what they are about: all of a run are never looked through. */
export class HeldTimers {
  /** By node or approval; '' is the run itself. */
  readonly #groups = new Map<string, Map<string, Timer>>();

  constructor(timers: readonly Timer[] = []) {
    for (const timer of timers) this.add(timer);
  }

  add(timer: Timer): void {
    const subject = subjectOf(timer);
    let group = this.#groups.get(subject);
    if (group === undefined) this.#groups.set(subject, (group = new Map()));
    group.set(timerKey(timer), timer);
  }

  delete(timer: Timer): void {
    const subject = subjectOf(timer);
    const group = this.#groups.get(subject);
    group?.delete(timerKey(timer));
    if (group?.size === 0) this.#groups.delete(subject);
  }

  of(subject: string): Iterable<Timer> {
    return this.#groups.get(subject)?.values() ?? [];
  }

  *all(): Generator<Timer> {
    for (const group of this.#groups.values()) yield* group.values();
  }
}

function subjectOf(timer: Timer): string {
  if ("nodeId" in timer) return timer.nodeId;
  return "approvalId" in timer ? timer.approvalId : "";
}

/** The same for the same timer, in whatever order its members were written. */
export function timerKey(timer: Timer): string {
  switch (timer.kind) {
    case "attempt":
    case "lost":
      return `${timer.kind}/${timer.nodeId}/${timer.attempt}`;
    case "retry":
      return `retry/${timer.nodeId}/${timer.retries}`;
    case "queue":
      return `queue/${timer.nodeId}/${timer.limitedSince}`;
    case "wake":
      return `wake/${timer.nodeId}/${timer.epoch}`;
    case "child":
    case "child-cancel":
      return `${timer.kind}/${timer.childRunId}`;
    case "child-cost":
      return `child-cost/${timer.childRunId}/${timer.eventId}`;
    case "approval-hop":
      return `approval-hop/${timer.approvalId}/${timer.hop}`;
    case "approval-expiry":
      return `approval-expiry/${timer.approvalId}`;
    case "approval-reminder":
      return `approval-reminder/${timer.approvalId}/${timer.urgency}`;
    case "run":
      return `run/${timer.epoch}`;
  }
}
