const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Describes a cron expression, such as "At 09:00, Monday to Friday" for `0 9 * * mon-fri`. Null for an invalid one. */
export function cronWords(cron: string): string | null {
  const written = NICKNAMES[cron.trim().toLowerCase()] ?? cron;
  const [minute, hour, day, month, weekday, ...rest] = written.trim().split(/\s+/);
  if (minute === undefined || hour === undefined || day === undefined) return null;
  if (month === undefined || weekday === undefined || rest.length > 0) return null;
  const days = [
    day === "*" ? "" : `on day ${listWords(day, String)} of the month`,
    weekday === "*" ? "" : listWords(weekday, (name) => nameOf(name, DAYS, 0)),
  ].filter((text) => text !== "");
  // A cron with both a day of the month and a weekday is due on either.
  const parts = [timeWords(minute, hour), days.join(" or "), month === "*" ? "" : monthWords(month)];
  return parts.filter((text) => text !== "").join(", ");
}

function timeWords(minute: string, hour: string): string {
  if (/^\d+$/.test(minute) && /^\d+(?:,\d+)*$/.test(hour)) {
    return `At ${joined(hour.split(",").map((each) => `${padded(each)}:${padded(minute)}`))}`;
  }
  const hours = hour === "*" ? "" : `, in the hours ${listWords(hour, padded)}`;
  if (minute === "*") return `Every minute${hours}`;
  const [, step] = /^\*\/(\d+)$/.exec(minute) ?? [];
  if (step !== undefined) return `Every ${step} minutes${hours}`;
  if (/^\d+$/.test(minute)) return hourWords(minute, hour);
  return `At minute ${listWords(minute, String)} of the hour${hours}`;
}

function hourWords(minute: string, hour: string): string {
  if (hour === "*") return `Every hour at minute ${Number(minute)}`;
  const [, step] = /^\*\/(\d+)$/.exec(hour) ?? [];
  if (step !== undefined) return `Every ${step} hours at minute ${Number(minute)}`;
  return `At minute ${Number(minute)} of the hours ${listWords(hour, padded)}`;
}

function monthWords(month: string): string {
  return `in ${listWords(month, (name) => nameOf(name, MONTHS, 1))}`;
}

/** Describes a list such as `1,3-5` or `1-9/2` in words. */
function listWords(field: string, wordOf: (name: string) => string): string {
  return joined(
    field.split(",").map((part) => {
      const [range = "", step] = part.split("/");
      const [from = "", to] = range.split("-");
      const words = range === "*" ? "every one" : to === undefined ? wordOf(from) : `${wordOf(from)} to ${wordOf(to)}`;
      return step === undefined ? words : `every ${step} of ${words}`;
    }),
  );
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Returns the full name, such as Monday for `mon` or `1`. Sunday is both 0 and 7. */
function nameOf(name: string, names: readonly string[], first: number): string {
  const index = /^\d+$/.test(name)
    ? (Number(name) - first) % names.length
    : names.findIndex((each) => each.slice(0, 3).toLowerCase() === name.toLowerCase());
  return names[index] ?? name;
}

function padded(text: string): string {
  return text.padStart(2, "0");
}
