/** Fields of limits that several kinds of manifests share: counts, durations, ranges. */
import { z } from "zod";
import { LIMITS } from "../core/base/index.ts";
import { parseDuration, type TurnLimits } from "../core/definition/index.ts";
import { checked, spec, whole } from "./field.ts";

const WINDOW_SECONDS_MAX = 30 * 86_400;

export const rateSpec = spec({
  count: whole(1, 1_000_000),
  per_seconds: z.number().gt(0).max(WINDOW_SECONDS_MAX),
});

export function rateOf(
  written: z.output<typeof rateSpec> | null | undefined,
): { readonly count: number; readonly perSeconds: number } | null {
  return written === undefined || written === null ? null : { count: written.count, perSeconds: written.per_seconds };
}

export const duration = checked(
  z.union([z.number(), z.string()], { error: "must be a span of time" }) as z.ZodType<string | number>,
  (value) => parseDuration(value) !== undefined,
  "must be a span of time above 0 and up to 30 days",
  { code: "bad_duration", hint: "Write seconds as a number, or a text such as 90s, 15m, 2h." },
);

export function durationMsOf(written: number | string | null | undefined): number | null {
  return written === undefined || written === null ? null : (parseDuration(written) ?? null);
}

export const turnSpec = spec({
  max_rounds: whole(1, LIMITS.turnRoundsMax).nullish(),
  max_tool_calls: whole(1, LIMITS.turnToolCallsMax).nullish(),
  max_repeats: whole(1, LIMITS.turnRepeatsMax).nullish(),
});

export function turnLimitsOf(written: z.output<typeof turnSpec> | null | undefined): TurnLimits | null {
  if (written === undefined || written === null) return null;
  const { max_rounds: rounds, max_tool_calls: calls, max_repeats: repeats } = written;
  return { maxRounds: rounds ?? null, maxToolCalls: calls ?? null, maxRepeats: repeats ?? null };
}
