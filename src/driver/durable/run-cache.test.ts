import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";
import { contentOf } from "./live-size.ts";
import { PlanCache } from "./plan-cache.ts";
import { RunCache } from "./run-cache.ts";

const MEBIBYTE = 1_048_576;
const BOUND = 64 * MEBIBYTE;

/** An open run of one node that has returned a text. */
function runWith(runId: string, output: string): DrivenRun {
  const payload = { nodeId: "a", outputs: { text: output } };
  const contentBytes = contentOf([{ eventId: 2, at: 0, type: "node.completed", payload } as never]);
  return { state: { runId, nodes: [null] }, contentBytes } as unknown as DrivenRun;
}

function cacheOf(count: number, output: string): RunCache {
  const store = createMemoryStore();
  const cache = new RunCache(store, new PlanCache(store));
  for (let index = 0; index < count; index += 1) cache.keep(runWith(`run_${index}`, output));
  return cache;
}

describe("runs in memory", () => {
  it.each([
    ["a byte for each character", "x".repeat(MEBIBYTE), 63],
    ["two bytes for each, as of text that is not Latin", "я".repeat(MEBIBYTE / 2), 63],
    ["two bytes for each because of a single one", `${"x".repeat(MEBIBYTE / 2 - 1)}я`, 63],
  ])("stay within their bound with outputs of 1 MiB, %s", (_, output, kept) => {
    const cache = cacheOf(200, output);
    expect(cache.size).toBe(kept);
    expect(cache.bytes).toBeLessThanOrEqual(BOUND);
    expect(cache.bytes).toBeGreaterThan(kept * MEBIBYTE);
    expect(cache.peek("run_199")).toBeDefined();
    expect(cache.peek("run_0")).toBeUndefined();
  });

  it("are counted anew when they are kept again, and not any more when they are dropped", () => {
    const cache = cacheOf(10, "x".repeat(MEBIBYTE));
    const { bytes } = cache;
    cache.keep(runWith("run_3", "x".repeat(MEBIBYTE)));
    expect(cache.bytes).toBe(bytes);
    for (let index = 0; index < 10; index += 1) cache.drop(`run_${index}`);
    expect([cache.bytes, cache.size]).toEqual([0, 0]);
  });
});
