import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { attemptSpanId, nodeSpanId, readTraceparent, reopenedSpanId, writeTraceparent } from "./span-id.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

describe("span ids", () => {
  it("follow from what they name", () => {
    const hash = createHash("sha256").update("run_1/a/1", "utf8").digest("hex");
    expect(attemptSpanId("run_1/a/1")).toBe(hash.slice(0, 16));
    const ids = [
      attemptSpanId("run_1/a/1"),
      attemptSpanId("run_1/a/2"),
      nodeSpanId("run_1", "a", 1),
      nodeSpanId("run_1", "a", 2),
      nodeSpanId("run_1", "a/1", 1),
      reopenedSpanId("run_1", 2),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("traceparent", () => {
  it("is written and read the same", () => {
    const text = writeTraceparent({ traceId: TRACE, spanId: SPAN });
    expect(text).toBe(`00-${TRACE}-${SPAN}-01`);
    expect(readTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN });
    expect(readTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual({ traceId: TRACE, spanId: SPAN });
    expect(readTraceparent(`01-${TRACE}-${SPAN}-01-more`)).toEqual({ traceId: TRACE, spanId: SPAN });
  });

  it.each([
    "",
    "00",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-1`,
  ])("is not read from %j", (text) => {
    expect(readTraceparent(text)).toBeNull();
  });
});
