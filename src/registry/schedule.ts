import { z } from "zod";
import { getOwn, type JsonObject, type TreePath } from "../core/base/index.ts";
import type { Entry } from "../store/index.ts";
import { type Cron, parseCron } from "./cron.ts";
import { anyMap, asBody, checked, readBody, spec, whole, workflowName } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { isTimeZone } from "./time-zone.ts";
import type { ScheduledTrigger } from "./trigger-kind.ts";

const YEAR_SECONDS = 366 * 86_400;

/** Fields for the times of a schedule, shared by schedules and triggers. */
export const timingFields = {
  cron: z.string().nullish().describe("Minute, hour, day of the month, month, day of the week"),
  every_seconds: whole(1, YEAR_SECONDS).nullish().describe("Interval in seconds, in place of cron"),
  timezone: checked(z.string(), isTimeZone, "must be a time zone such as Europe/Berlin", { code: "bad_name" }).default(
    "UTC",
  ),
  overlap: z
    .enum(["skip", "queue", "allow"])
    .default("skip")
    .describe("Handling of a slot while the previous run is still open"),
  missed: z
    .enum(["skip", "run_once", "backfill"])
    .default("skip")
    .describe("Handling of slots that passed while no scheduler was running"),
};

export const timingSpec = spec(timingFields);

export const scheduleSpec = spec({
  workflow: workflowName.describe("Workflow that is started"),
  ...timingFields,
  args: anyMap.default({}).describe("Args of every run"),
  enabled: z.boolean().default(true).describe("Whether the schedule starts runs"),
});

/** Times by the calendar of a time zone, or at even intervals. */
export type Timing =
  | { readonly kind: "cron"; readonly cron: Cron; readonly timezone: string }
  | { readonly kind: "interval"; readonly everySeconds: number };

/** Reads a manifest of kind Schedule, the older form of a trigger. Its args are plain values without templates. */
export function scheduleOf({ id, body, savedBy }: Entry): ScheduledTrigger {
  const written = readBody(scheduleSpec, body);
  const args = Object.entries(asBody(written.args)).map(([name, value]) => [name, { kind: "literal", value }] as const);
  return {
    origin: "schedule",
    name: id,
    workflow: written.workflow,
    on: scheduleSourceOf(written),
    filter: null,
    args: Object.fromEntries(args),
    labels: {},
    concurrency: null,
    priority: null,
    respond: "none",
    isEnabled: written.enabled,
    savedBy,
  };
}

export function scheduleSourceOf(written: z.output<typeof timingSpec>): ScheduledTrigger["on"] {
  return { kind: "schedule", timing: timingOf(written), overlap: written.overlap, missed: written.missed };
}

function timingOf({ cron, every_seconds: everySeconds, timezone }: z.output<typeof timingSpec>): Timing {
  if (everySeconds !== undefined && everySeconds !== null) return { kind: "interval", everySeconds };
  const parsed = parseCron(cron ?? "");
  if (!parsed.ok) throw new Error(`its cron cannot be read: ${parsed.failure}`);
  return { kind: "cron", cron: parsed.value, timezone };
}

/** Parses a timing that is only previewed; null when it cannot be read. */
export function calendarTiming(cron: string, timezone: string): Timing | null {
  const parsed = parseCron(cron);
  return parsed.ok && isTimeZone(timezone) ? { kind: "cron", cron: parsed.value, timezone } : null;
}

/** Returns the problems of the times; `at` is their path. */
export function timingProblems(written: JsonObject, at: TreePath = []): readonly SpecProblem[] {
  const [cron, every] = [getOwn(written, "cron") ?? null, getOwn(written, "every_seconds") ?? null];
  if (cron !== null && every !== null) {
    const message = `A schedule has either "cron" or "every_seconds".`;
    const more = { isAtKey: true, hint: "Keep one of them." };
    return [specProblem("conflicting_fields", [...at, "every_seconds"], message, more)];
  }
  if (cron === null && every === null) {
    const message = `A schedule needs "cron" or "every_seconds".`;
    const hint = `Add "cron", such as "0 9 * * mon-fri".`;
    return [specProblem("missing_field", [...at, "cron"], message, { hint })];
  }
  if (typeof cron !== "string") return [];
  const parsed = parseCron(cron);
  if (parsed.ok) return [];
  const hint = `Write minute, hour, day of the month, month, day of the week: "0 9 * * mon-fri".`;
  return [specProblem("bad_expression", [...at, "cron"], `"cron" cannot be read: ${parsed.failure}.`, { hint })];
}
