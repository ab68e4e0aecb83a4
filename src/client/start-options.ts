import type { InputsFrom } from "../contract/index.ts";
import type { RunStatus, WaitingFor } from "../core/event/index.ts";

/** Which runs are listed. */
export interface RunsFilter {
  readonly status?: RunStatus;
  readonly waiting_for?: WaitingFor;
  readonly workflow?: string;
  readonly parent?: string;
}

export interface StartOptions {
  /** Made once per submission and used again by its retries: the run is then started once. */
  readonly idempotencyKey?: string;
  /** For a run that is started as a tool; default: `api`. */
  readonly trigger?: "mcp";
}

export interface BranchOptions extends StartOptions {
  readonly inputsFrom?: InputsFrom;
}

export function idempotent({ idempotencyKey, trigger }: StartOptions): Readonly<Record<string, string>> {
  return {
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    ...(trigger === undefined ? {} : { [TRIGGER_HEADER]: trigger }),
  };
}

/** What started a run, where it is not a plain request. */
export const TRIGGER_HEADER = "sluice-trigger";
