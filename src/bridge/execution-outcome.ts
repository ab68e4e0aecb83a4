import type { AdapterRequest, AdapterResult, LogLine } from "../adapter/index.ts";

/** A log line and when it was written, in epoch milliseconds. */
export interface TimedLine extends LogLine {
  readonly at: number;
}

/** How one dispatch ended. Everything in it but the request has passed the redactor. */
export interface ExecutionOutcome {
  readonly request: AdapterRequest;
  readonly result: AdapterResult;
  /** Epoch milliseconds, as is `completedAt`. */
  readonly startedAt: number;
  readonly completedAt: number;
  readonly logs: readonly TimedLine[];
  /** How often it is delivered: more than once only when an adapter simulates a bad network. */
  readonly times: number;
}
