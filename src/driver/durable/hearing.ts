import { type CallbackBody, readCallback } from "../../bridge/index.ts";
import type { CallbackResult, StreamInput } from "../../core/engine/index.ts";
import { outputStrategyOf } from "../dispatch-request.ts";
import type { Inbox } from "./inbox.ts";
import type { LiveRun } from "./live-run.ts";
import type { Moderating } from "./moderating.ts";
import {
  type AttemptAddress,
  callbackTelling,
  hear,
  type Reporter,
  type ReportOutcome,
  streamTelling,
  type TellingFor,
} from "./reporting.ts";
import type { RunCache } from "./run-cache.ts";

export interface HearingOptions {
  readonly inbox: Inbox;
  readonly cache: RunCache;
  readonly moderating: Moderating;
  readonly now: () => number;
}

/** Takes what is said of attempts, by whomever, and says what became of it once that cannot be lost. */
export class Hearing {
  readonly #options: HearingOptions;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  async report(reporter: Reporter, address: AttemptAddress, body: CallbackBody): Promise<ReportOutcome> {
    this.#options.inbox.refuseWhenFull();
    const at = this.#options.now();
    const checked = await this.#checked(address, body);
    return this.tellNewest(address.runId, (judged) => callbackTelling(reporter, address, body, at, judged, checked));
  }

  async stream(reporter: Reporter, address: AttemptAddress, deltas: StreamInput["deltas"]): Promise<ReportOutcome> {
    this.#options.inbox.refuseWhenFull();
    // Nothing of what has not been looked at is told; the result brings all of it.
    const isWithheld = ({ state }: LiveRun): boolean => this.#options.moderating.isChecked(state, address.nodeId);
    return this.tellNewest(address.runId, (judged) => streamTelling(reporter, address, deltas, judged, isWithheld));
  }

  /** Tells a run something on its newest state, whichever replica has made it. */
  tellNewest(runId: string, tellingFor: TellingFor): Promise<ReportOutcome> {
    const { inbox, cache } = this.#options;
    return hear(
      tellingFor,
      (told) => inbox.push(runId, told),
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
