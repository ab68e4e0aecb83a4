import { describe, expect, it } from "vitest";
import { newRunId } from "./run-id.ts";

describe("run ids", () => {
  it("sort by age and never repeat", () => {
    const moments = [0, 1, 31, 32, 1_023, 1_024, Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1) + 1, Date.UTC(9999, 0, 1)];
    const ids = moments.map(newRunId);
    expect([...ids].sort()).toEqual(ids);
    expect(ids.every((id) => /^run_[0-9a-hjkmnp-tv-z]{26}$/.test(id))).toBe(true);
    expect(new Set(Array.from({ length: 1_000 }, () => newRunId(5))).size).toBe(1_000);
  });
});
