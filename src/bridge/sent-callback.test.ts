import { describe, expect, it } from "vitest";
import { readSentCallback } from "./sent-callback.ts";
import { callbackSchema, CALLBACK_LOG_LINES_MAX } from "./wire.ts";

const NOW = Date.UTC(2026, 0, 1);
const AT = "2026-01-01T00:00:00.000Z";
const IDS = { dispatchId: "run_1/a/1", runId: "run_1", stepId: "a", attempt: 1, status: "completed" };
const read = (more: object) => readSentCallback({ ...IDS, ...more }, NOW);

describe("a callback in another spelling", () => {
  it("is the same callback", () => {
    const { body, warnings } = read({
      error_code: "x",
      input_tokens: 1,
      output_tokens: 2,
      thinking_tokens: 3,
      cached_tokens: 4,
      total_tokens: 5,
      cost_usd: 0.5,
      session_id: "s",
      retry_after_ms: 7,
      extra_calls: 1,
      started_at: NOW - 1_000,
      completed_at: AT,
    });
    expect(warnings).toEqual([]);
    expect(callbackSchema.parse(body)).toEqual({
      ...IDS,
      errorCode: "x",
      inputTokens: 1,
      outputTokens: 2,
      thinkingTokens: 3,
      cachedTokens: 4,
      totalTokens: 5,
      costUsd: 0.5,
      sessionId: "s",
      retryAfterMs: 7,
      extraCalls: 1,
      startedAt: "2025-12-31T23:59:59.000Z",
      completedAt: AT,
    });
  });

  it("costs what it gives as cost", () => {
    expect(read({ cost: 0.5 }).body).toMatchObject({ costUsd: 0.5 });
    expect(read({ cost: 9, costUsd: 0.5 })).toMatchObject({
      body: { costUsd: 0.5 },
      warnings: [expect.stringContaining('"cost"')],
    });
    expect(callbackSchema.safeParse(read({ cost: -1 }).body).success).toBe(false);
    for (const cost of ["0.5", null]) expect(callbackSchema.safeParse(read({ cost }).body).success).toBe(false);
  });

  it.each([
    ["bridge", "async"],
    ["bridge-sync", "sync"],
    ["convex-native", "edge"],
    ["edge", "edge"],
  ])("came by the path %s", (written, path) => {
    expect(read({ executionPath: written }).body).toMatchObject({ executionPath: path });
  });

  it("needs no times, and none of the ids is made up", () => {
    expect(read({}).body).toMatchObject({ startedAt: AT, completedAt: AT });
    expect(readSentCallback({ task_id: "x", type: "step_complete" }, NOW)).toEqual({
      body: { dispatchId: "x", startedAt: AT, completedAt: AT },
      warnings: [],
    });
    for (const started of [Number.NaN, 1e300, "yesterday"]) {
      expect(callbackSchema.safeParse(read({ startedAt: started }).body).success).toBe(false);
    }
  });

  it("may bring a text or a list as its outputs, null for nothing, and lines of text as its logs", () => {
    expect(read({ outputs: "hello" }).body).toMatchObject({ stdout: "hello" });
    expect(read({ outputs: [1, 2] }).body).toMatchObject({ stdout: "[1,2]" });
    expect(callbackSchema.parse(read({ outputs: null, error: null, logs: ["x"] }).body)).toEqual({
      ...IDS,
      startedAt: AT,
      completedAt: AT,
      logs: [{ level: "info", message: "x" }],
    });
  });

  it("may have times without a zone, which are in UTC", () => {
    const { body } = read({ started_at: "2026-01-01T00:00:00.123456", completedAt: "2026-01-01 00:00:01+00:00" });
    expect(callbackSchema.parse(body)).toMatchObject({
      startedAt: "2026-01-01T00:00:00.123456Z",
      completedAt: "2026-01-01T00:00:01+00:00",
    });
    expect(callbackSchema.safeParse(read({ startedAt: "2026-13-01T00:00:00" }).body).success).toBe(false);
  });

  it("is not refused for a line of its log", () => {
    const line = { level: "WARN", msg: "slow", timestamp: NOW, logger: "x" };
    const logs = (sent: unknown) => callbackSchema.parse(read({ logs: sent }).body).logs;
    const slow = { level: "warning", message: "slow", at: AT };
    expect(logs([line, 7, { level: 30, at: "noon" }])).toEqual([
      slow,
      { level: "info", message: "7" },
      { level: "info", message: '{"level":30,"at":"noon"}' },
    ]);
    expect(logs(`${JSON.stringify(line)}\n\nplain {\n{broken\n`)).toEqual([
      slow,
      { level: "info", message: "plain {" },
      { level: "info", message: "{broken" },
    ]);
    expect(logs(null)).toBeUndefined();
    expect(logs(Array.from({ length: CALLBACK_LOG_LINES_MAX }, () => "x"))).toHaveLength(CALLBACK_LOG_LINES_MAX);
    const many = logs(Array.from({ length: CALLBACK_LOG_LINES_MAX + 1 }, () => "x"));
    expect([many?.length, many?.at(-1)]).toEqual([
      CALLBACK_LOG_LINES_MAX,
      { level: "warning", message: "2 more lines were left out: a log has at most 10000." },
    ]);
  });

  it("names every key that means nothing here", () => {
    expect(read({ later: 1, flavor_text: 2, __x: 3 }).warnings).toEqual([
      'The callback has keys that mean nothing here and were left out: "later", "flavor_text", "__x".',
    ]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, 1]));
    expect(read(many).warnings[0]).toContain("and 10 more");
    expect(read(many).body).not.toHaveProperty("k1");
  });

  it.each([null, "text", [1], 7])("is left to the check when it is %s", (sent) => {
    expect(readSentCallback(sent, NOW)).toEqual({ body: sent, warnings: [] });
  });
});
