import type { InputsFrom, NodeEdits, PageOptions, RunsQuery } from "../contract/index.ts";

/** Filter for a list of runs. A run must match every given field. */
export type RunsFilter = Readonly<Partial<Omit<RunsQuery, keyof PageOptions>>>;

export interface StartOptions {
  /** Key of one submission, reused by its retries so that the run is started only once. */
  readonly idempotencyKey?: string;
  /** Seconds, at most 30. The answer is delayed until the run has ended or the time is over, and contains the outputs if it ended. */
  readonly wait?: number;
  /** Set when the run is started as a tool. Default: `api`. */
  readonly trigger?: "mcp";
}

export interface BranchOptions extends StartOptions, NodeEdits {
  readonly inputsFrom?: InputsFrom;
}

const KEY_BYTES = 16;

/** Returns a new key for one submission. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function idempotent({ idempotencyKey, trigger }: StartOptions): Readonly<Record<string, string>> {
  return {
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    ...(trigger === undefined ? {} : { [TRIGGER_HEADER]: trigger }),
  };
}

/** Header that names the cause of a start, when it is not a plain API request. */
export const TRIGGER_HEADER = "sluice-trigger";
