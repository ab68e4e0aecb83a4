import { readInstant } from "../core/governance/index.ts";
import { invalidRequest } from "./shape.ts";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const AMOUNT_MAX = 100_000;

/** Parses a moment: ISO 8601, a date, or an age (`36h`, `7d`). Null when the parameter is absent. */
export function readMoment(name: string, written: string | undefined, now: number): number | null {
  if (written === undefined) return null;
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(written) ?? [];
  if (amount !== undefined && unit !== undefined && Number(amount) <= AMOUNT_MAX) {
    return now - Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  }
  const at = readInstant(written);
  if (at !== null) return at;
  const message = `"${name}" is no moment; write 2026-01-31, 2026-01-31T08:00:00Z, or how long ago, such as 7d.`;
  throw invalidRequest([{ code: "wrong_type", message, path: name }]);
}
