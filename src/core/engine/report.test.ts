import { describe, expect, it } from "vitest";
import { reportOf } from "./report.ts";

describe("what was answered", () => {
  it("is read out of text alone, and believed where outputs were given", () => {
    const fenced = '```json\n{"a": 1}\n```';
    const read = reportOf({ status: "completed", stdout: fenced }, "json");
    expect(read).toMatchObject({
      status: "completed",
      outputs: { a: 1 },
      warnings: [expect.stringContaining("code_fence")],
    });
    const given = reportOf({ status: "completed", stdout: fenced, outputs: { b: 2 } }, "json");
    expect(given).toMatchObject({ stdout: fenced, outputs: { b: 2 } });
    expect(given).not.toHaveProperty("warnings");
  });

  it("costs what it says in whole micro-dollars", () => {
    expect(reportOf({ status: "completed", stdout: "x", costUsd: 0.000_001_5, inputTokens: 7 }, "text")).toMatchObject({
      costMicros: 2,
      tokens: { inputTokens: 7, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 },
    });
  });

  it.each([
    ["timeout", "timed_out"],
    ["cancelled", "cancelled"],
    ["provider_error", "failed"],
  ] as const)("that failed with %s ended %s", (failure, status) => {
    const report = reportOf({ status: "failed", failure, message: "no", retryAfterMs: 5 }, "text", ["a warning"]);
    expect(report).toMatchObject({ status, errorCode: failure, error: "no", retryAfterMs: 5, warnings: ["a warning"] });
  });

  it("holds no text a log cannot keep", () => {
    const report = reportOf({ status: "completed", stdout: "a\0b", outputs: { text: "\ud800" } }, "text");
    expect(report).toMatchObject({ stdout: "a\ufffdb", outputs: { text: "\ufffd" } });
    expect(report).toMatchObject({ warnings: [expect.stringContaining("U+FFFD")] });
  });

  it("of work that continues outside is nothing yet", () => {
    expect(reportOf({ status: "deferred" }, "text")).toEqual({ status: "deferred" });
  });
});
