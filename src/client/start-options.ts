import type { InputsFrom } from "./provenance-wire.ts";

export interface StartOptions {
  /** Made once per submission and used again by its retries: the run is then started once. */
  readonly idempotencyKey?: string;
}

export interface BranchOptions extends StartOptions {
  readonly inputsFrom?: InputsFrom;
}

export function idempotent({ idempotencyKey }: StartOptions): Readonly<Record<string, string>> {
  return idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
}
