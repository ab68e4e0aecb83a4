import { z } from "zod";
import { getOwn, type JsonObject } from "../core/base/index.ts";
import type { Entry } from "../store/index.ts";
import { type Cron, parseCron } from "./cron.ts";
import { anyMap, asBody, checked, readBody, spec, whole, workflowName } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { isTimeZone } from "./time-zone.ts";

const YEAR_SECONDS = 366 * 86_400;

export const scheduleSpec = spec({
  workflow: workflowName.describe("What is started"),
  cron: z.string().nullish().describe("Minute, hour, day of the month, month, day of the week"),
  every_seconds: whole(1, YEAR_SECONDS).nullish().describe("An interval, in place of cron"),
  timezone: checked(z.string(), isTimeZone, "must be a time zone such as Europe/Berlin", { code: "bad_name" }).default(
    "UTC",
  ),
  args: anyMap.default({}).describe("Of every run"),
  overlap: z.enum(["skip", "queue", "allow"]).default("skip").describe("When the run before is still going on"),
  missed: z
    .enum(["skip", "run_once", "backfill"])
    .default("skip")
    .describe("When a slot passed while no scheduler was running"),
  enabled: z.boolean().default(true).describe("Starts runs at all"),
});

/** A workflow to be started by the clock. */
export interface Schedule {
  readonly id: string;
  readonly workflow: string;
  readonly timing: Timing;
  readonly args: JsonObject;
  readonly overlap: ScheduleBody["overlap"];
  readonly missed: ScheduleBody["missed"];
  readonly isEnabled: boolean;
}

/** By the calendar of a place, or evenly. */
export type Timing =
  | { readonly kind: "cron"; readonly cron: Cron; readonly timezone: string }
  | { readonly kind: "interval"; readonly everySeconds: number };

type ScheduleBody = z.output<typeof scheduleSpec>;

export function scheduleOf({ id, body }: Entry): Schedule {
  const written = readBody(scheduleSpec, body);
  return {
    id,
    workflow: written.workflow,
    timing: timingOf(written),
    args: asBody(written.args),
    overlap: written.overlap,
    missed: written.missed,
    isEnabled: written.enabled,
  };
}

function timingOf({ cron, every_seconds: everySeconds, timezone }: ScheduleBody): Timing {
  if (everySeconds !== undefined && everySeconds !== null) return { kind: "interval", everySeconds };
  const parsed = parseCron(cron ?? "");
  if (!parsed.ok) throw new Error(`its cron cannot be read: ${parsed.failure}`);
  return { kind: "cron", cron: parsed.value, timezone };
}

export function scheduleProblems(written: JsonObject): readonly SpecProblem[] {
  const [cron, every] = [getOwn(written, "cron") ?? null, getOwn(written, "every_seconds") ?? null];
  if (cron !== null && every !== null) {
    const message = `A schedule has either "cron" or "every_seconds".`;
    return [
      specProblem("conflicting_fields", ["every_seconds"], message, { isAtKey: true, hint: "Keep one of them." }),
    ];
  }
  if (cron === null && every === null) {
    const message = `A schedule needs "cron" or "every_seconds".`;
    return [specProblem("missing_field", ["cron"], message, { hint: `Add "cron", such as "0 9 * * mon-fri".` })];
  }
  if (typeof cron !== "string") return [];
  const parsed = parseCron(cron);
  if (parsed.ok) return [];
  const hint = `Write minute, hour, day of the month, month, day of the week: "0 9 * * mon-fri".`;
  return [specProblem("bad_expression", ["cron"], `"cron" cannot be read: ${parsed.failure}.`, { hint })];
}
