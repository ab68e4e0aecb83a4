import { describe, expect, it } from "vitest";
import { attemptSpanId, nodeSpanId, readTraceparent, reopenedSpanId, writeTraceparent } from "./span-id.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

describe("span ids", () => {
  it("follow from what they name", () => {
    expect(attemptSpanId("run_1/a/1")).toBe(attemptSpanId(["run_1", "a", 1].join("/")));
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

  it("differ for all attempts of the largest runs, in either half about as chance would have it", () => {
    const ids: string[] = [];
    for (const runId of ["run_01m7gm1kyqkb5bet9y17mks03f", "run_01m7gm1kyqkb5bet9y17mks03g"]) {
      for (let node = 0; node < 10_000; node += 1) {
        for (let attempt = 1; attempt <= 5; attempt += 1) ids.push(attemptSpanId(`${runId}/n${node}/${attempt}`));
      }
    }
    expect(new Set(ids).size).toBe(100_000);
    // Of 100,000 numbers of 32 bits one or two are expected to be there twice.
    for (const half of [ids.map((id) => id.slice(0, 8)), ids.map((id) => id.slice(8))]) {
      expect(new Set(half).size).toBeGreaterThan(99_980);
    }
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
