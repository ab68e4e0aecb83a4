import type { Adapter, AdapterRequest } from "../adapter/index.ts";
import { Executions, type Outcome, reportOutcome } from "../bridge/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Redactor } from "../core/redaction/index.ts";
import {
  type CallbackResult,
  type Dispatch,
  NO_TOKENS,
  type RunState,
  type StreamInput,
} from "../core/engine/index.ts";
import { dispatchRequest } from "./dispatch-request.ts";

/** What an attempt says while it runs and when it ends; `outcome` is null when no adapter ever had it. */
export interface AttemptTale {
  stream(deltas: StreamInput["deltas"]): void;
  callback(result: CallbackResult, outcome: Outcome | null): void;
}

const LATE_ANSWER_MS = 600_000;

/** The Bridge inside this process: the adapters and the attempts they are working on. */
export class AdapterPool {
  readonly #executions: Executions;

  constructor(adapters: readonly Adapter[], clock: Clock, redactor?: Redactor) {
    // Nobody asks this Bridge for results it has already handed over; and the engine waits for no adapter that was told
    // to stop, so that it may take its time to say what it cost.
    const options = { adapters, clock, endedMax: 0, abortGraceMs: LATE_ANSWER_MS };
    this.#executions = new Executions(redactor === undefined ? options : { ...options, redactor });
  }

  get openCount(): number {
    return this.#executions.wantedCount;
  }

  isOpen(dispatchId: string): boolean {
    return this.#executions.isOpen(dispatchId);
  }

  /** Hands an attempt over. The same dispatch twice is one execution. */
  send(dispatch: Dispatch, state: RunState, tale: AttemptTale, more: Partial<AdapterRequest> = {}): void {
    const provider = dispatch.route.provider ?? "";
    const answer = this.#executions.start(
      { ...dispatchRequest(dispatch, state, provider), ...more },
      {
        stream: (deltas) => tale.stream(deltas),
        ended(outcome) {
          const result = reportOutcome(outcome);
          for (let delivery = 0; delivery < outcome.times; delivery += 1) tale.callback(result, outcome);
        },
      },
    );
    if (answer !== "unknown_provider") return;
    const error = `no adapter for the provider "${provider}" is at hand`;
    tale.callback({ status: "failed", errorCode: "dispatch_failed", error, tokens: NO_TOKENS, costMicros: 0 }, null);
  }

  /** Best effort: the run does not wait for an adapter that is told to stop. */
  abort(dispatchId: string): void {
    this.#executions.cancel(dispatchId);
  }

  /** Lets go of everything without a word: others will take the attempts over. */
  close(): void {
    void this.#executions.stop(0);
  }
}
