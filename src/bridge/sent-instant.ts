import type { Json } from "../core/base/index.ts";

const EPOCH_MS_MAX = 8_640_000_000_000_000;
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;
const ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

/** Returns epoch milliseconds or a date and time as ISO text, undefined for anything else. A text without a zone is in UTC. */
export function instantOf(value: Json | undefined): string | undefined {
  if (typeof value === "number")
    return Number.isFinite(value) && Math.abs(value) <= EPOCH_MS_MAX ? new Date(value).toISOString() : undefined;
  if (typeof value !== "string" || !INSTANT.test(value)) return undefined;
  const whole = `${value.replace(" ", "T")}${ZONE.test(value) ? "" : "Z"}`;
  return Number.isNaN(Date.parse(whole)) ? undefined : whole;
}
