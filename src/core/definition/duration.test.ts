import { expect, it } from "vitest";
import { parseDuration } from "./duration.ts";

const MONTH = 2_592_000;

it.each([
  [0, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [0.0004, undefined],
  [0.001, 1],
  [90, 90_000],
  [MONTH - 1, (MONTH - 1) * 1_000],
  [MONTH, MONTH * 1_000],
  [MONTH + 1, undefined],
  [1e9, undefined],
  ["90s", 90_000],
  ["15m", 900_000],
  ["2h", 7_200_000],
  ["1.5h", 5_400_000],
  ["3d", 259_200_000],
  ["30d", MONTH * 1_000],
  ["31d", undefined],
  ["0s", undefined],
  ["90", undefined],
  ["5 minutes", undefined],
  ["-2h", undefined],
  ["2H", undefined],
  ["", undefined],
])("%j is %j ms", (written, expected) => {
  expect(parseDuration(written)).toBe(expected);
});
