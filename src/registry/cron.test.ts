import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { parseCron } from "./cron.ts";

const cron = (text: string): unknown => {
  const parsed = parseCron(text);
  return parsed.ok ? parsed.value : parsed.failure;
};

describe("parseCron", () => {
  it("reads numbers, names, ranges, steps and lists", () => {
    expect(cron("*/20 9-11 1,15 jan-mar mon-fri")).toEqual({
      minutes: [0, 20, 40],
      hours: [9, 10, 11],
      days: [1, 15],
      months: [1, 2, 3],
      weekdays: [1, 2, 3, 4, 5],
      isEitherDay: true,
    });
    expect(cron("5/20 0 * * 7,sun")).toMatchObject({ minutes: [5, 25, 45], weekdays: [0], isEitherDay: false });
    expect(cron("@daily")).toEqual(cron("0 0 * * *"));
    expect(cron(" 59 23 31 12 0 ")).toMatchObject({
      minutes: [59],
      hours: [23],
      days: [31],
      months: [12],
      weekdays: [0],
    });
  });

  it.each([
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "-1 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * 32 * *",
    "* * * 0 *",
    "* * * 13 *",
    "* * * * 8",
    "5-1 * * * *",
    "*/0 * * * *",
    "*-5 * * * *",
    "1,,2 * * * *",
    "x * * * *",
    "* * * * mon-",
    "@never",
    "1 ".repeat(200),
  ])("refuses %j with a reason", (text) => {
    expect(cron(text)).toEqual(expect.any(String));
  });

  it("never throws, and answers within the limits of each part", () => {
    const word = fc.stringMatching(/^[0-9*/,a-z-]{1,6}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 5, maxLength: 5 }), (words) => {
        const parsed = parseCron(words.join(" "));
        if (!parsed.ok) return;
        const { minutes, hours, days, months, weekdays } = parsed.value;
        expect(minutes.every((one) => one >= 0 && one <= 59)).toBe(true);
        expect(hours.every((one) => one >= 0 && one <= 23)).toBe(true);
        expect(days.every((one) => one >= 1 && one <= 31)).toBe(true);
        expect(months.every((one) => one >= 1 && one <= 12)).toBe(true);
        expect(weekdays.every((one) => one >= 0 && one <= 6)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
