import { z } from "zod";
import { FAILURE_CLASSES, type Json } from "../base/index.ts";

const MS_MAX = 30 * 24 * 3_600_000;
export const ms = z.number().nonnegative().max(MS_MAX);
const count = z.number().int().nonnegative();
const json: z.ZodType<Json> = z.json();

/** Fields for the cost of an answer, the same everywhere in a script. */
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

/** Maximum number of rounds in one turn of a script. */
const ROUNDS_MAX = 1_000;

export const scriptCallSchema = z.strictObject({
  tool: z.string().min(1).max(200),
  server: z.string().min(1).max(200).optional(),
  /** Args as a model sends them, so any value is allowed. When absent, the args are empty. */
  args: json.optional(),
  /** JSON Schema of the args of this tool. */
  schema: z.record(z.string(), json).optional(),
  delay_ms: ms.optional(),
  result: json.optional(),
  /** Error reported by the tool. */
  fail: z.string().optional(),
  hang: z.boolean().optional(),
});

export const scriptRoundSchema = z.strictObject({
  delay_ms: ms.optional(),
  text: z.string().optional(),
  calls: z.array(scriptCallSchema).optional(),
  /** Index of the next round after one of the calls was denied, counted from 0. When absent, the following round. */
  on_deny: count.optional(),
  /** Index of the next round after a person has changed the args of one of the calls. */
  on_changed: count.optional(),
  /** Makes the model call fail, so the round does not happen. */
  fail: z.enum(FAILURE_CLASSES).optional(),
  message: z.string().optional(),
  retry_after_ms: ms.optional(),
  hang: z.boolean().optional(),
  ...billFields,
});
export type ScriptRound = z.infer<typeof scriptRoundSchema>;
export type ScriptCall = z.infer<typeof scriptCallSchema>;

export const scriptRoundsSchema = z.array(scriptRoundSchema).min(1).max(ROUNDS_MAX);

/** Outcome of a call, as far as the next round depends on it. */
export interface ScriptedOutcome {
  readonly kind: string;
  /** Present when a person has changed the args. */
  readonly note?: string;
}

/**
 * Returns the round that follows the given ones, each represented by the outcomes of its calls. It depends on nothing else, so
 * a turn can continue in any process. An answer that was not accepted is repeated.
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
