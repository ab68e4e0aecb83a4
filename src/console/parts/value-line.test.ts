import { describe, expect, it } from "vitest";
import { valueLine } from "./value-line.ts";

describe("values in a line", () => {
  it("names each, texts as they are and the rest as JSON, each cut by itself", () => {
    expect(valueLine({ order: 4711, customer: "Ada\n  Lovelace", tags: ["a"] })).toBe(
      'order 4711 · customer Ada Lovelace · tags ["a"]',
    );
    expect(valueLine({ text: "x".repeat(61), last: null })).toBe(`text ${"x".repeat(60)}… · last null`);
    expect(valueLine({ all: { stdout: "Sum up" }, one: { stdout: "a", rows: 2 } })).toBe(
      'all Sum up · one {"stdout":"a","rows":2}',
    );
    expect(valueLine({})).toBe("");
  });
});
