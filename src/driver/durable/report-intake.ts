import { type CallbackBody, readCallback } from "../../bridge/index.ts";
import type { CallbackResult, StreamInput } from "../../core/engine/index.ts";
import { outputStrategyOf } from "../dispatch-request.ts";
import type { Inbox } from "./inbox.ts";
import type { LiveRun } from "./live-run.ts";
import type { Moderating } from "./moderator.ts";
import {
  type AttemptAddress,
  resolveCallback,
  submitUntilCurrent,
  type Reporter,
  type ReportOutcome,
  resolveStream,
  type InputResolver,
} from "./attempt-report.ts";
import type { RunCache } from "./run-cache.ts";

export interface ReportIntakeOptions {
  readonly inbox: Inbox;
  readonly cache: RunCache;
  readonly moderating: Moderating;
  readonly now: () => number;
}

/** Takes what is said of attempts, by whomever, and says what became of it once that cannot be lost. */
export class ReportIntake {
  readonly #options: ReportIntakeOptions;

  constructor(options: ReportIntakeOptions) {
    this.#options = options;
  }

  async report(reporter: Reporter, address: AttemptAddress, body: CallbackBody): Promise<ReportOutcome> {
    this.#options.inbox.refuseWhenFull();
    const at = this.#options.now();
    const checked = await this.#checked(address, body);
    return this.submitToNewest(address.runId, (judged) =>
      resolveCallback(reporter, address, body, at, judged, checked),
    );
  }

  async stream(reporter: Reporter, address: AttemptAddress, deltas: StreamInput["deltas"]): Promise<ReportOutcome> {
    this.#options.inbox.refuseWhenFull();
    // Nothing of what has not been looked at is told; the result brings all of it.
    const isWithheld = ({ state }: LiveRun): boolean => this.#options.moderating.isChecked(state, address.nodeId);
    return this.submitToNewest(address.runId, (judged) => resolveStream(reporter, address, deltas, judged, isWithheld));
  }

  /** Tells a run something on its newest state, whichever replica has made it. */
  submitToNewest(runId: string, resolverFor: InputResolver): Promise<ReportOutcome> {
    const { inbox, cache } = this.#options;
    return submitUntilCurrent(
      resolverFor,
      (input) => inbox.push(runId, input),
      () => cache.dropIfStale(runId),
    );
  }

  /** The newest state of a run. */
  async look(runId: string): Promise<LiveRun | undefined> {
    const { inbox, cache } = this.#options;
    await cache.dropIfStale(runId);
    const outcome = await inbox.push(runId, null);
    if (outcome.kind === "failed") throw outcome.error;
    return outcome.kind === "unknown" ? undefined : outcome.live;
  }

  /** Undefined: nobody wants it looked at. What is looked at never changes in a run, so that any state will do. */
  async #checked({ runId, nodeId }: AttemptAddress, body: CallbackBody): Promise<CallbackResult | undefined> {
    const { cache, moderating } = this.#options;
    const live = cache.peek(runId) ?? (await this.look(runId));
    if (live === undefined || !moderating.isChecked(live.state, nodeId)) return undefined;
    return moderating.check(live, nodeId, readCallback(body, outputStrategyOf(live.state, nodeId)));
  }
}
