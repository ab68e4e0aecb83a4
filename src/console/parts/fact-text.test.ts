import { describe, expect, it } from "vitest";
import { factOf } from "./fact-text.ts";

describe("facts of a verdict", () => {
  it.each([
    ["estimateMicros", 1_250_000, "estimate", "$1.25"],
    ["estimateMicros", null, "estimate", "none"],
    ["retryAfterMs", 90_000, "retry after", "1m 30s"],
    ["freesAt", Date.UTC(2026, 10, 15, 16, 8, 29), "frees at", "2026-11-15 16:08:29 UTC"],
    ["at", Date.UTC(2026, 10, 15), "at", "2026-11-15 00:00:00 UTC"],
    ["maxConcurrent", 4, "max concurrent", "4"],
    ["isKnown", false, "is known", "false"],
    ["mayRead", ["public", "internal"], "may read", "public, internal"],
    ["ceilings", [{ id: "team", leftMicros: 20_000 }], "ceilings", "id team, left $0.02"],
  ])("shows %s %j as %s %s", (key, value, name, text) => {
    expect(factOf(key, value)).toEqual({ name, text });
  });
});
