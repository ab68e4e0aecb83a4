/** The outcome of a script. Lines and columns count from 1 in the author's code; null when no place caused the outcome. */
export type ScriptOutcome =
  /** `json` is null when the script returned nothing. */
  | { readonly kind: "returned"; readonly json: string | null }
  | {
      /** `limit`: the script was stopped. `error`: it threw, or returned a value that is not JSON. */
      readonly kind: "limit" | "error";
      readonly message: string;
      readonly line: number | null;
      readonly column: number | null;
    };

export interface ScriptLimits {
  readonly memoryBytesMax: number;
  readonly stackBytesMax: number;
  /** Maximum number of jumps (one or two per loop pass), calls and pattern matcher cycles, counted in blocks of ten thousand. */
  readonly stepsMax: number;
  readonly resultBytesMax: number;
}

/**
 * The limits of a script. The steps allow about a second of interpretation on an ordinary machine: ten million steps
 * take 0.2 s in empty loops, 2 s in loops that build texts and set properties. Steps are counted, not timed, so that
 * the same script with the same inputs always ends the same way.
 */
export const SCRIPT_LIMITS: ScriptLimits = {
  memoryBytesMax: 64 * 1_048_576,
  stackBytesMax: 131_072,
  stepsMax: 10_000_000,
  resultBytesMax: 1_048_576,
};
