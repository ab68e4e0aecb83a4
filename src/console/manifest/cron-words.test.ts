import { describe, expect, it } from "vitest";
import { cronWords } from "./cron-words.ts";

describe("a cron in words", () => {
  it.each([
    ["0 9 * * mon-fri", "At 09:00, Monday to Friday"],
    ["30 8,17 * * *", "At 08:30 and 17:30"],
    ["*/15 * * * *", "Every 15 minutes"],
    ["*/15 9-17 * * 1-5", "Every 15 minutes, in the hours 09 to 17, Monday to Friday"],
    ["0 * * * *", "Every hour at minute 0"],
    ["5 */2 * * *", "Every 2 hours at minute 5"],
    ["0 3 1 * *", "At 03:00, on day 1 of the month"],
    ["0 3 1,15 1 *", "At 03:00, on day 1 and 15 of the month, in January"],
    ["0 0 13 * 5", "At 00:00, on day 13 of the month or Friday"],
    ["0 0 * * 7", "At 00:00, Sunday"],
    ["* * * * *", "Every minute"],
    ["@daily", "At 00:00"],
    ["0 0 * jan,jul 0", "At 00:00, Sunday, in January and July"],
  ])("%s is %s", (cron, words) => expect(cronWords(cron)).toBe(words));

  it.each(["", "daily", "0 9 * *", "0 9 * * * *"])("says nothing about %j", (cron) => {
    expect(cronWords(cron)).toBeNull();
  });
});
