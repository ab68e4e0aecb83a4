import type { Registered } from "../../client/index.ts";
import { jsonToText } from "../../core/base/index.ts";

/** Returns the timing of a schedule as its author wrote it. */
export function timingText(schedule: Registered): string {
  const { cron, everySeconds, timezone } = schedule;
  if (typeof cron === "string") return `${cron} ${jsonToText(timezone ?? "UTC")}`;
  return `every ${jsonToText(everySeconds)} s`;
}
