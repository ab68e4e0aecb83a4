import type { AdapterRequest, AdapterResult, LogLine } from "../adapter/index.ts";

/** A log line and when it was written, in epoch milliseconds. */
export interface TimedLine extends LogLine {
  readonly at: number;
}

/** The end of one dispatch. Everything in it except the request is redacted. */
export interface ExecutionOutcome {
  readonly request: AdapterRequest;
  readonly result: AdapterResult;
  /** Epoch milliseconds, as is `completedAt`. */
  readonly startedAt: number;
  readonly completedAt: number;
  readonly logs: readonly TimedLine[];
  /** Number of deliveries. More than one only when an adapter simulates an unreliable network. */
  readonly times: number;
}
