/** What became of a script. Lines and columns are those of the author's code, from 1; null: no place of it is to blame. */
export type ScriptOutcome =
  /** `json` is null when it returned nothing. */
  | { readonly kind: "returned"; readonly json: string | null }
  | {
      /** `limit`: it was stopped; `error`: it threw, or returned what is no JSON. */
      readonly kind: "limit" | "error";
      readonly message: string;
      readonly line: number | null;
      readonly column: number | null;
    };

export interface ScriptLimits {
  readonly memoryBytesMax: number;
  readonly stackBytesMax: number;
  /** Jumps (each turn of a loop has one or two), calls, and turns of the pattern matcher, counted in ten thousands. */
  readonly stepsMax: number;
  readonly resultBytesMax: number;
}

/**
 * What a script may use. Steps stand for about a second of interpretation on an ordinary machine: ten million steps
 * of empty loops take 0.2 s, of loops that build texts and set properties 2 s. They are counted, not timed, so that the
 * same script with the same inputs always ends the same way.
 */
export const SCRIPT_LIMITS: ScriptLimits = {
  memoryBytesMax: 64 * 1_048_576,
  stackBytesMax: 131_072,
  stepsMax: 10_000_000,
  resultBytesMax: 1_048_576,
};
