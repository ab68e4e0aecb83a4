import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../core/event/index.ts";
import { LogLines } from "./log-lines.ts";

const failed = (errorCode: string, nodeId = "pay"): Partial<RunEvent> => ({
  type: "node.failed",
  payload: { nodeId, attempt: 1, errorCode, errorMessage: "HTTP 503", durationMs: 1, willRetry: false } as never,
});
const logged = (level: string, message: string): Partial<RunEvent> => ({
  type: "node.log",
  payload: { nodeId: "load", attempt: 1, level, message } as never,
});

function linesOf(...events: readonly Partial<RunEvent>[]): LogLines {
  const lines = new LogLines();
  for (const [index, event] of events.entries()) lines.take({ eventId: index + 1, at: 0, ...event } as RunEvent);
  return lines;
}

describe("the log of a run", () => {
  const lines = linesOf(
    logged("debug", "reads the file"),
    logged("warning", "the file is large"),
    failed("provider_error"),
    failed("upstream_failure", "ship"),
    { type: "cost.recorded", payload: { nodeId: "pay", costMicros: 1 } as never },
  );
  const ids = (found: readonly { readonly eventId: number }[]) => found.map(({ eventId }) => eventId);

  it("has what nodes logged and what happened to them, and no bookkeeping", () => {
    expect(ids(lines.matching("debug", ""))).toEqual([1, 2, 3, 4]);
  });
  it("keeps a level and those above; what only follows from a failure is no error", () => {
    expect(ids(lines.matching("warning", ""))).toEqual([2, 3]);
    expect(ids(lines.matching("error", ""))).toEqual([3]);
  });
  it("is searched by node, event and message, in any case", () => {
    expect(ids(lines.matching("debug", "FILE"))).toEqual([1, 2]);
    expect(ids(lines.matching("debug", " 503 "))).toEqual([3, 4]);
    expect(ids(lines.matching("debug", "ship"))).toEqual([4]);
    expect(ids(lines.matching("error", "file"))).toEqual([]);
  });
});
