import { randomBytes } from "node:crypto";

/** Crockford's base-32 digits: no letters that are easily confused, in code-unit order. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/** Returns `run_` and 26 digits: first the millisecond, so that ids sort by age, then random digits. */
export function newRunId(now: number): string {
  let time = "";
  for (let rest = now, place = 0; place < TIME_DIGITS; place += 1, rest = Math.floor(rest / 32)) {
    time = DIGITS.charAt(rest % 32) + time;
  }
  let random = "";
  for (const byte of randomBytes(RANDOM_DIGITS)) random += DIGITS.charAt(byte % 32);
  return `run_${time}${random}`;
}
