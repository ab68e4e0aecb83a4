const WEEK_MS = 7 * 86_400_000;
/** As ids of runs are made of: the millisecond in ten digits, in the order of bytes. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;

/** Weeks are counted from the beginning of time. */
export function weekAt(ms: number): number {
  return Math.floor(ms / WEEK_MS);
}

/** What ids of runs that are created in a week are not less than; ids of child runs begin with that of their parent. */
export function firstIdOf(week: number): string {
  let time = "";
  for (let rest = week * WEEK_MS; time.length < TIME_DIGITS; rest = Math.floor(rest / 32)) {
    time = DIGITS.charAt(rest % 32) + time;
  }
  return `run_${time}`;
}

/** The same of instants. */
export function firstMsOf(week: number): string {
  return String(week * WEEK_MS);
}
