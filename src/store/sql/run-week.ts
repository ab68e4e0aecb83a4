const WEEK_MS = 7 * 86_400_000;
/** Digits of run ids, in byte order. An id has the time in milliseconds as ten digits. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;

/** Returns the number of the week, counted from the epoch. */
export function weekAt(ms: number): number {
  return Math.floor(ms / WEEK_MS);
}

/** Returns the lower bound of ids of runs created in a week. Ids of child runs begin with the id of their parent. */
export function firstIdOf(week: number): string {
  let time = "";
  for (let rest = week * WEEK_MS; time.length < TIME_DIGITS; rest = Math.floor(rest / 32)) {
    time = DIGITS.charAt(rest % 32) + time;
  }
  return `run_${time}`;
}

/** Returns the first instant of a week, as text. */
export function firstMsOf(week: number): string {
  return String(week * WEEK_MS);
}
