import { describe, expect, it } from "vitest";
import { stubRequest } from "../../test/gateway/stub-adapter.ts";
import type { AdapterResult } from "../adapter/index.ts";
import { callbackOf, lostCallback, readCallback, reportOutcome } from "./callback.ts";
import { LIMITS } from "../core/base/index.ts";
import { callbackText, refusedForSize } from "./callback-text.ts";
import { CALLBACK_BYTES_MAX, callbackSchema, type CallbackBody } from "./wire.ts";

const REQUEST = stubRequest({ outputStrategy: "json" });

function outcomeOf(result: AdapterResult) {
  const logs = [
    { level: "warning", message: "careful", at: 2 },
    { level: "debug", message: "detail", at: 3 },
  ] as const;
  return { request: REQUEST, result, startedAt: 0, completedAt: 5, logs, times: 1 };
}

const RESULTS: readonly AdapterResult[] = [
  { status: "deferred" },
  { status: "completed", stdout: 'So: {"a": 1}', inputTokens: 3, outputTokens: 4, costUsd: 0.25, model: "m" },
  { status: "completed", outputs: { a: "x\u0000" }, thinkingTokens: 1, cachedTokens: 2, extraCalls: 1 },
  { status: "failed", failure: "provider_rate_limit", message: "slow down", retryAfterMs: 70, costUsd: 1 },
  { status: "failed", failure: "timeout", message: "late" },
  { status: "failed", failure: "cancelled", message: "stop" },
  { status: "failed", failure: "adapter_bug", message: "oops", sessionId: "s", messages: [{ a: 1 }] },
];

describe("callbacks", () => {
  it.each(RESULTS)("carry over the wire what the engine gets in process: %j", (result) => {
    const outcome = outcomeOf(result);
    const body = callbackOf(outcome, "async");
    expect(callbackSchema.parse(JSON.parse(callbackText(body)))).toBeDefined();
    expect(readCallback(body, "json")).toEqual(reportOutcome(outcome));
  });

  it("carry names, times, logs and sums", () => {
    expect(callbackOf(outcomeOf({ status: "completed", inputTokens: 2, outputTokens: 3 }), "sync")).toEqual({
      dispatchId: "run_1/a/1",
      runId: "run_1",
      stepId: "a",
      attempt: 1,
      status: "completed",
      startedAt: "1970-01-01T00:00:00.000Z",
      completedAt: "1970-01-01T00:00:00.005Z",
      inputTokens: 2,
      outputTokens: 3,
      totalTokens: 5,
      logs: [
        { level: "warning", message: "careful", at: "1970-01-01T00:00:00.002Z" },
        { level: "debug", message: "detail", at: "1970-01-01T00:00:00.003Z" },
      ],
      executionPath: "sync",
    });
  });

  it.each([-1, 0, 1])("take a transcript up to its limit: %i bytes more", (more) => {
    const transcript = "é".repeat((LIMITS.transcriptBytesMax - 2) / 2 - 1) + "x".repeat(2 + more);
    const report = reportOutcome(outcomeOf({ status: "suspended", transcript }));
    if (more <= 0) expect(report).toMatchObject({ status: "suspended", transcript });
    else {
      const error = expect.stringContaining(`has ${LIMITS.transcriptBytesMax + 1} bytes`) as string;
      expect(report).toMatchObject({ status: "failed", errorCode: "provider_bad_output", error });
    }
  });

  it("say that a transcript was too large where none could arrive", () => {
    const body = callbackOf(outcomeOf({ status: "suspended", transcript: "x".repeat(CALLBACK_BYTES_MAX) }), "async");
    const sent = JSON.parse(callbackText(body)) as CallbackBody;
    expect(sent).toMatchObject({ status: "failed", errorCode: "provider_bad_output" });
    expect(sent).not.toHaveProperty("transcript");
    expect(refusedForSize(body)).not.toHaveProperty("transcript");
  });

  it("are never refused for their meter", () => {
    const result: AdapterResult = { status: "completed", inputTokens: Number.MAX_SAFE_INTEGER, model: "m".repeat(300) };
    expect(callbackSchema.safeParse(callbackOf(outcomeOf(result), "async")).success).toBe(true);
  });

  it("of others may know only a sum, or no code", () => {
    const body: CallbackBody = { ...lostCallback(REQUEST, 0, 1), totalTokens: 7 };
    expect(readCallback(body, "text")).toMatchObject({
      status: "failed",
      errorCode: "outcome_unknown",
      tokens: { inputTokens: 7, outputTokens: 0 },
    });
    const { errorCode: _code, error: _error, ...bare } = body;
    expect(readCallback({ ...bare, status: "timed_out" }, "text")).not.toHaveProperty("errorCode");
  });
});

describe("the text of a callback", () => {
  const body = (changes: Partial<CallbackBody>): CallbackBody => ({
    ...callbackOf({ ...outcomeOf({ status: "completed" }), logs: [] }, "async"),
    costUsd: 3,
    ...changes,
  });
  const read = (text: string): CallbackBody => callbackSchema.parse(JSON.parse(text));
  const plain = Buffer.byteLength(JSON.stringify(body({ stdout: "" })));

  it.each([
    [-1, "completed"],
    [0, "completed"],
    [1, "failed"],
  ])("may have the limit %i bytes more or less", (more, status) => {
    const text = callbackText(body({ stdout: "x".repeat(CALLBACK_BYTES_MAX - plain + more) }));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(CALLBACK_BYTES_MAX);
    expect(read(text).status).toBe(status);
  });

  it("leaves out the transcript first, then the logs, then the result", () => {
    const messages = [{ text: "m".repeat(600) }];
    const logs = [{ level: "info" as const, message: "l".repeat(600) }];
    const cutTo = (bytesMax: number): CallbackBody =>
      read(callbackText(body({ stdout: "s".repeat(600), messages, logs }), bytesMax));
    expect(cutTo(1_900)).toMatchObject({ status: "completed", logs: [{ level: "info" }, { level: "warning" }] });
    expect(cutTo(1_900)).not.toHaveProperty("messages");
    expect(cutTo(1_300).logs).toEqual([
      { level: "warning", message: expect.stringContaining("the transcript and the logs") },
    ]);
    expect(cutTo(600)).toMatchObject({ status: "failed", errorCode: "provider_bad_output", costUsd: 3 });
    expect(cutTo(600).error).toMatch(/has \d{4} bytes, and a report at most 600/);
  });

  it("keeps what a failure is called however long it talks", () => {
    const failed = body({ status: "failed", errorCode: "provider_error", error: "e".repeat(CALLBACK_BYTES_MAX) });
    expect(read(callbackText(failed))).toMatchObject({ status: "failed", errorCode: "provider_error" });
  });

  it("holds nothing a server could not store", () => {
    expect(read(callbackText(body({ stdout: "a\u0000\ud800" }))).stdout).toBe("a\ufffd\ufffd");
  });
});
