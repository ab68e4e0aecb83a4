import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bug } from "../base/index.ts";
import { epochMsFromIso, isoFromEpochMs } from "./timestamp.ts";

const EPOCH_MS_MAX = 8_640_000_000_000_000;

describe("isoFromEpochMs", () => {
  it("writes what the platform's calendar writes, and reads it back", () => {
    const moment = fc.oneof(
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
      fc.integer({ min: -EPOCH_MS_MAX, max: EPOCH_MS_MAX }),
    );
    fc.assert(
      fc.property(moment, (epochMs) => {
        const text = isoFromEpochMs(epochMs);
        expect(text).toBe(new Date(epochMs).toISOString());
        expect(epochMsFromIso(text)).toBe(epochMs);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([0, -1, 951_782_400_000, 951_868_799_999, 4_107_542_399_999, 253_402_300_799_999, 253_402_300_800_000])(
    "is right at the edge %d",
    (epochMs) => {
      expect(isoFromEpochMs(epochMs)).toBe(new Date(epochMs).toISOString());
    },
  );

  it("holds at the last moment there is, and is a bug after it", () => {
    expect(isoFromEpochMs(EPOCH_MS_MAX)).toBe("+275760-09-13T00:00:00.000Z");
    expect(() => isoFromEpochMs(EPOCH_MS_MAX + 1)).toThrow(Bug);
    expect(() => isoFromEpochMs(0.5)).toThrow(Bug);
    expect(() => isoFromEpochMs(Number.NaN)).toThrow(Bug);
  });
});

describe("epochMsFromIso", () => {
  it("reads a moment without milliseconds", () => {
    expect(epochMsFromIso("1970-01-01T00:00:01Z")).toBe(1_000);
  });

  it.each([
    "",
    "1970-01-01",
    "1970-01-01T00:00:00",
    "1970-01-01T00:00:00+01:00",
    "1970-02-31T00:00:00.000Z",
    "1970-13-01T00:00:00.000Z",
    "1970-00-01T00:00:00.000Z",
    "1970-01-01T24:00:00.000Z",
    "1970-01-01T00:00:60.000Z",
    "-000000-01-01T00:00:00.000Z",
    "+275760-09-13T00:00:00.001Z",
    " 1970-01-01T00:00:00.000Z",
  ])("refuses %j", (text) => {
    expect(epochMsFromIso(text)).toBeNull();
  });
});
