import type { AttemptAddress } from "../../core/event/index.ts";
import type { Clock } from "../../clock/index.ts";
import { type CallbackBody, readCallback } from "../../bridge/index.ts";
import type { CallbackResult, StreamInput } from "../../core/engine/index.ts";
import { outputStrategyOf } from "../dispatch-request.ts";
import type { InputQueue } from "./input-queue.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { Moderator } from "./moderator.ts";
import {
  resolveCallback,
  submitUntilCurrent,
  type Reporter,
  type ReportOutcome,
  resolveStream,
  type InputResolver,
} from "./attempt-report.ts";
import type { RunCache } from "./run-cache.ts";

export interface ReportIntakeOptions {
  readonly queue: InputQueue;
  readonly cache: RunCache;
  readonly moderator: Moderator;
  readonly clock: Pick<Clock, "now">;
}

/** Accepts reports on attempts. Answers each once its outcome is stored durably. */
export class ReportIntake {
  readonly #options: ReportIntakeOptions;

  constructor(options: ReportIntakeOptions) {
    this.#options = options;
  }

  async report(reporter: Reporter, address: AttemptAddress, body: CallbackBody): Promise<ReportOutcome> {
    this.#options.queue.refuseWhenFull();
    const at = this.#options.clock.now();
    const checked = await this.#checked(address, body);
    return this.submitToNewest(address.runId, (judged) =>
      resolveCallback(reporter, address, body, at, judged, checked),
    );
  }

  async stream(reporter: Reporter, address: AttemptAddress, deltas: StreamInput["deltas"]): Promise<ReportOutcome> {
    this.#options.queue.refuseWhenFull();
    // Unmoderated content is not passed on. The result later contains all of it.
    const isWithheld = ({ state }: DrivenRun): boolean => this.#options.moderator.isChecked(state, address.nodeId);
    return this.submitToNewest(address.runId, (judged) => resolveStream(reporter, address, deltas, judged, isWithheld));
  }

  /** Submits an input to the newest state of a run, even if another replica committed that state. */
  submitToNewest(runId: string, resolverFor: InputResolver): Promise<ReportOutcome> {
    const { queue, cache } = this.#options;
    return submitUntilCurrent(
      resolverFor,
      (input) => queue.submit(runId, input),
      () => cache.dropIfStale(runId),
    );
  }

  /** Returns the newest state of a run. */
  async newest(runId: string): Promise<DrivenRun | undefined> {
    const { queue, cache } = this.#options;
    // A run that is not in memory is read from the database, so it is the newest.
    if (cache.peek(runId) !== undefined) await cache.dropIfStale(runId);
    const outcome = await queue.submit(runId, null);
    if (outcome.kind === "failed") throw outcome.error;
    return outcome.kind === "unknown" ? undefined : outcome.live;
  }

  /** Undefined when no moderation is needed. The moderation mode of a node never changes within a run, so any state serves. */
  async #checked({ runId, nodeId }: AttemptAddress, body: CallbackBody): Promise<CallbackResult | undefined> {
    const { cache, moderator } = this.#options;
    const live = cache.peek(runId) ?? (await this.newest(runId));
    if (live === undefined || !moderator.isChecked(live.state, nodeId)) return undefined;
    return moderator.check(live, nodeId, readCallback(body, outputStrategyOf(live.state, nodeId)));
  }
}
