import { type Timer, timerKey } from "../../core/engine/index.ts";

/** The timers of one run that have a row, indexed by subject, so that no operation scans all timers of the run. */
export class HeldTimers {
  /** By node or approval id; '' is the run itself. */
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
