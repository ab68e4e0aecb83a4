import { z } from "zod";
import { FAILURE_CLASSES, type Json } from "../base/index.ts";

const MS_MAX = 30 * 24 * 3_600_000;
export const ms = z.number().nonnegative().max(MS_MAX);
const count = z.number().int().nonnegative();
const json: z.ZodType<Json> = z.json();

/** What an answer costs, the same wherever a script says so. */
export const billFields = {
  tokens: z
    .strictObject({
      input: count.optional(),
      output: count.optional(),
      thinking: count.optional(),
      cached: count.optional(),
    })
    .optional(),
  cost_usd: z.number().nonnegative().max(1_000_000).optional(),
};

/** Rounds of one turn that a script may have. */
const ROUNDS_MAX = 1_000;

export const scriptCallSchema = z.strictObject({
  tool: z.string().min(1).max(200),
  server: z.string().min(1).max(200).optional(),
  /** Those of a model, so that they may be anything; empty when absent. */
  args: json.optional(),
  /** JSON Schema of the args of this tool. */
  schema: z.record(z.string(), json).optional(),
  delay_ms: ms.optional(),
  result: json.optional(),
  /** The tool reports this error. */
  fail: z.string().optional(),
  hang: z.boolean().optional(),
});

export const scriptRoundSchema = z.strictObject({
  delay_ms: ms.optional(),
  text: z.string().optional(),
  calls: z.array(scriptCallSchema).optional(),
  /** The round after this one when one of its calls was denied; the next one when absent. Counted from 0. */
  on_deny: count.optional(),
  /** The same when a person has changed the args of one of its calls. */
  on_changed: count.optional(),
  /** The call of the model fails: the round does not happen. */
  fail: z.enum(FAILURE_CLASSES).optional(),
  message: z.string().optional(),
  retry_after_ms: ms.optional(),
  hang: z.boolean().optional(),
  ...billFields,
});
export type ScriptRound = z.infer<typeof scriptRoundSchema>;
export type ScriptCall = z.infer<typeof scriptCallSchema>;

export const scriptRoundsSchema = z.array(scriptRoundSchema).min(1).max(ROUNDS_MAX);

/** What came of a call, as far as the next round depends on it. */
export interface ScriptedOutcome {
  readonly kind: string;
  /** There where a person has changed the args. */
  readonly note?: string;
}

/**
 * Which round of the script follows after these, each given by what came of its calls. Depends on nothing else, so that a
 * turn continues anywhere. An answer that was not accepted is given again.
 */
export function roundAfter(
  rounds: readonly ScriptRound[],
  outcomes: readonly (readonly ScriptedOutcome[])[],
): { readonly index: number; readonly round: ScriptRound } {
  let index = 0;
  for (const calls of outcomes) {
    const { on_deny, on_changed } = rounds[index] ?? {};
    const isDenied = calls.some(({ kind }) => kind === "denied");
    const isChanged = calls.some(({ note }) => note !== undefined);
    const named = (isDenied ? on_deny : undefined) ?? (isChanged ? on_changed : undefined);
    if (calls.length > 0) index = Math.min(named ?? index + 1, rounds.length - 1);
  }
  return { index, round: rounds[index] ?? {} };
}
