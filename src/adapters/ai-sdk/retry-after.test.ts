import { describe, expect, it } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("retryAfterMs", () => {
  it.each([
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "7" }, 7_000],
    [{ "Retry-After": " 1.5 " }, 1_500],
    [{ "retry-after-ms": "250" }, 250],
    [{ "retry-after-ms": "250.2", "retry-after": "9" }, 251],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9_000],
    [{ "retry-after": "Sun, 01 Mar 2026 12:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, 0],
  ])("%j", (headers, expected) => {
    expect(retryAfterMs(headers, NOW)).toBe(expected);
  });

  it.each([
    {},
    { "retry-after": "" },
    { "retry-after": "-5" },
    { "retry-after": "1e9" },
    { "retry-after": "2030" + "0".repeat(20) },
    { "retry-after": "Sun, never" },
    { "x-retry-after": "1" },
  ])("%j means nothing", (headers) => {
    expect(retryAfterMs(headers as Record<string, string>, NOW)).toBeUndefined();
  });
});
