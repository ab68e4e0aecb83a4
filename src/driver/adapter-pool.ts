import type { Adapter, AdapterFiles, AdapterRequest, HandedSecret, TurnHooks } from "../adapter/index.ts";
import { Executions, type ExecutionOutcome, type ExecutionReport, reportOutcome } from "../bridge/index.ts";
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

/** Reports of an attempt while it runs and at its end. `outcome` is null when no adapter ever received the attempt. */
export interface AttemptCallbacks {
  stream(deltas: StreamInput["deltas"]): void;
  /** The adapter has answered. The result follows at once, or after moderation. */
  answered(): void;
  callback(result: CallbackResult, outcome: ExecutionOutcome | null): void;
  /** Receives reported rounds and decides tool calls. */
  readonly turn: TurnHooks;
}

type Extras = Pick<AdapterRequest, "traceparent" | "externalCallbackUrl"> & {
  readonly filesOf?: (signal: AbortSignal) => AdapterFiles;
  readonly secrets?: readonly HandedSecret[];
  readonly orgId?: string;
};

const LATE_ANSWER_MS = 600_000;

/** The Bridge inside this process: its adapters and the attempts they execute. */
export class AdapterPool {
  readonly #executions: Executions;

  constructor(adapters: readonly Adapter[], clock: Clock, redactor?: Redactor) {
    // No server requests results from this Bridge that it has already delivered. And since the engine does not wait for a cancelled
    // adapter, the adapter may take its time to report its cost.
    const options = { adapters, clock, endedMax: 0, abortGraceMs: LATE_ANSWER_MS };
    this.#executions = new Executions(redactor === undefined ? options : { ...options, redactor });
  }

  get openCount(): number {
    return this.#executions.wantedCount;
  }

  isOpen(dispatchId: string): boolean {
    return this.#executions.isOpen(dispatchId);
  }

  /** Passes an attempt to its adapter. Sending the same dispatch twice causes one execution. */
  send(
    dispatch: Dispatch,
    state: RunState,
    callbacks: AttemptCallbacks,
    { traceparent, externalCallbackUrl, ...given }: Extras = {},
  ): void {
    const provider = dispatch.route.provider ?? "";
    const request = dispatchRequest(dispatch, state, provider);
    if (traceparent !== undefined) request.traceparent = traceparent;
    if (externalCallbackUrl !== undefined) request.externalCallbackUrl = externalCallbackUrl;
    const report: ExecutionReport = {
      stream: (deltas) => callbacks.stream(deltas),
      turn: () => callbacks.turn,
      ended(outcome) {
        const result = reportOutcome(outcome);
        callbacks.answered();
        for (let delivery = 0; delivery < outcome.times; delivery += 1) callbacks.callback(result, outcome);
      },
    };
    const answer = this.#executions.start(request, report, given);
    if (answer !== "unknown_provider") return;
    const error = `no adapter for the provider "${provider}" is at hand`;
    callbacks.answered();
    callbacks.callback(
      { status: "failed", errorCode: "dispatch_failed", error, tokens: NO_TOKENS, costMicros: 0 },
      null,
    );
  }

  /** Best effort: the run does not wait for a cancelled adapter. */
  abort(dispatchId: string): void {
    this.#executions.cancel(dispatchId);
  }

  /** Best effort, for all attempts of a run. */
  abortRun(runId: string): void {
    this.#executions.cancelRun(runId);
  }

  /** Drops all attempts without a report: other replicas will take them over. */
  close(): void {
    void this.#executions.stop(0);
  }
}
