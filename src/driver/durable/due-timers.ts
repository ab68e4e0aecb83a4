import type { Clock } from "../../clock/index.ts";
import { type ChildTimer, type Timer } from "../../core/engine/index.ts";
import type { AttemptKey } from "../../core/event/index.ts";
import type { Store } from "../../store/index.ts";
import type { Attempts } from "./attempts.ts";
import type { Children } from "./children.ts";
import type { InputQueue } from "./input-queue.ts";
import { postponeTimer } from "./parking.ts";
import { resolveLost } from "./remote-attempts.ts";
import type { ReportIntake } from "./report-intake.ts";

export interface DueTimersOptions {
  readonly queue: InputQueue;
  readonly intake: ReportIntake;
  readonly attempts: Attempts;
  readonly children: Children;
  readonly store: Pick<Store, "loadRuns" | "commit">;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Submits due timers to their runs. */
export class DueTimers {
  readonly #options: DueTimersOptions;

  constructor(options: DueTimersOptions) {
    this.#options = options;
  }

  /** Fires a timer from memory, on the replica that set it. */
  fire(runId: string, timer: Timer): void {
    if (isOfChild(timer)) this.#options.children.completePendingWork(runId, timer);
    else this.#options.queue.enqueue(runId, { type: "timer", timer });
  }

  /** The worker of the attempt is gone and no other may take the work. The engine decides how the run continues. */
  workLost(runId: string, { nodeId, attempt }: AttemptKey): void {
    const { intake, onTrouble } = this.#options;
    const resolve = resolveLost({ kind: "lost", nodeId, attempt });
    intake
      .submitToNewest(runId, () => resolve)
      .catch((error: unknown) => onTrouble(`lost work of run ${runId} could not be submitted`, error));
  }

  /** Handles a timer found in the database. The cached run may be older than the timer, so the newest state is used. */
  found(runId: string, timer: Timer): void {
    const { intake, attempts, children, store, clock, onTrouble } = this.#options;
    if (isOfChild(timer)) return children.completePendingWork(runId, timer);
    const resolve = timer.kind === "lost" ? attempts.lost(timer) : () => ({ input: { type: "timer", timer } as const });
    intake
      .submitToNewest(runId, () => resolve)
      .catch(async (error: unknown) => {
        onTrouble(`a timer of run ${runId} could not be submitted`, error);
        if (timer.kind !== "lost" && timer.kind !== "attempt") await postponeTimer(store, runId, timer, clock.now());
      })
      .catch((error: unknown) => onTrouble(`a timer of run ${runId} could not be put off`, error));
  }
}

export function isOfChild(timer: Timer): timer is ChildTimer {
  return (
    timer.kind === "child" ||
    timer.kind === "child-cancel" ||
    timer.kind === "child-pause" ||
    timer.kind === "child-cost"
  );
}
