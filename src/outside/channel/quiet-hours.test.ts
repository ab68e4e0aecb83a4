import { describe, expect, it } from "vitest";
import { quietMs } from "./quiet-hours.ts";

const HOUR = 3_600_000;
const at = (time: string): number => Date.parse(`2031-05-04T${time}Z`);
const night = { from: 22 * 60, to: 7 * 60, zone: "UTC" };

describe("quiet hours", () => {
  it.each([
    ["21:59:59.999", 0],
    ["22:00:00.000", 9 * HOUR],
    ["00:00:00.000", 7 * HOUR],
    ["06:59:59.999", 1],
    ["07:00:00.000", 0],
  ])("over midnight, at %s", (time, expected) => {
    expect(quietMs(night, at(time))).toBe(expected);
  });

  it.each([
    ["11:59:59.999", 0],
    ["12:00:00.000", HOUR],
    ["12:59:00.000", 60_000],
    ["13:00:00.000", 0],
  ])("within a day, at %s", (time, expected) => {
    expect(quietMs({ from: 12 * 60, to: 13 * 60, zone: "UTC" }, at(time))).toBe(expected);
  });

  it("are those of a place", () => {
    expect(quietMs({ ...night, zone: "Asia/Tokyo" }, at("13:00:00.000"))).toBe(9 * HOUR);
    expect(quietMs({ ...night, zone: "Asia/Kolkata" }, at("16:29:00.000"))).toBe(0);
    expect(quietMs({ ...night, zone: "Asia/Kolkata" }, at("16:30:00.000"))).toBe(9 * HOUR);
  });

  it("from a time to itself are none", () => {
    expect(quietMs({ from: 60, to: 60, zone: "UTC" }, at("01:00:00.000"))).toBe(0);
  });
});
