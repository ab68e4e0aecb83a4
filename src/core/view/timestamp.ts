import { dateOf, dateText, DAY_MS, dayOf, invariant } from "../base/index.ts";

/** The limit of a JavaScript date, in both directions. */
const EPOCH_MS_MAX = 8_640_000_000_000_000;

/** Formats ISO 8601 in UTC with milliseconds. Pure arithmetic, because the core does not use the machine's clock or calendar. */
export function isoFromEpochMs(epochMs: number): string {
  invariant(Number.isInteger(epochMs) && Math.abs(epochMs) <= EPOCH_MS_MAX, `${epochMs} is a moment in milliseconds`);
  const days = Math.floor(epochMs / DAY_MS);
  const ms = epochMs - days * DAY_MS;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = Math.floor(ms / 1_000) % 60;
  return `${dateText(dateOf(days))}T${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}.${pad(ms % 1_000, 3)}Z`;
}

const ISO = /^(\d{4}|[+-]\d{6})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{3}))?Z$/;

/** Parses the format of `isoFromEpochMs`, with optional milliseconds. Null for any other text. */
export function epochMsFromIso(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = match
    .slice(1)
    .map((digits: string | undefined) => Number(digits ?? 0));
  const epochMs = dayOf({ year, month, day }) * DAY_MS + hours * 3_600_000 + minutes * 60_000 + seconds * 1_000 + ms;
  if (Math.abs(epochMs) > EPOCH_MS_MAX) return null;
  // Invalid moments such as 31 February or 24:00 produce a different text.
  const written = isoFromEpochMs(epochMs);
  return written === text || written.replace(".000Z", "Z") === text ? epochMs : null;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
