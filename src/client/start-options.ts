import type { InputsFrom, NodeEdits, PageOptions, RunsQuery } from "../contract/index.ts";

/** Which runs are listed; everything that is given has to fit. */
export type RunsFilter = Readonly<Partial<Omit<RunsQuery, keyof PageOptions>>>;

export interface StartOptions {
  /** Made once per submission and used again by its retries: the run is then started once. */
  readonly idempotencyKey?: string;
  /** Seconds, at most 30: the answer comes when the run has ended, with its outputs, or after that time. */
  readonly wait?: number;
  /** For a run that is started as a tool; default: `api`. */
  readonly trigger?: "mcp";
}

export interface BranchOptions extends StartOptions, NodeEdits {
  readonly inputsFrom?: InputsFrom;
}

const KEY_BYTES = 16;

/** Of its own for each submission. */
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

/** What started a run, where it is not a plain request. */
export const TRIGGER_HEADER = "sluice-trigger";
