import { describe, expect, it } from "vitest";
import { stubAdapter, stubRequest } from "../../test/gateway/stub-adapter.ts";
import type { Adapter, AdapterRequest, AdapterResult } from "../adapter/index.ts";
import { createSystemClock } from "../clock/index.ts";
import { reportOutcome } from "./callback.ts";
import { Executions } from "./executions.ts";
import type { ExecutionOutcome } from "./execution-outcome.ts";

const REQUEST = stubRequest();

const FREE = {
  tokens: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 },
  costMicros: 0,
};

async function resultOf(answer: unknown, strategy: AdapterRequest["outputStrategy"] = "text") {
  const adapter = stubAdapter({ execute: () => Promise.resolve(answer as AdapterResult) });
  return reportOutcome(await outcomeOf(adapter, { ...REQUEST, outputStrategy: strategy }));
}

function outcomeOf(adapter: Adapter, request: AdapterRequest): Promise<ExecutionOutcome> {
  return new Promise((ended) => {
    const executions = new Executions({ adapters: [adapter], clock: createSystemClock(), endedMax: 0 });
    executions.start(request, { stream: () => undefined, ended });
  });
}

describe("the report of a dispatch", () => {
  it("passes on text, outputs and the bill", async () => {
    const answer = {
      status: "completed",
      stdout: "x",
      outputs: { a: 1 },
      inputTokens: 3,
      costUsd: 0.0000015,
      model: "m",
    };
    expect(await resultOf(answer, "json")).toEqual({
      status: "completed",
      stdout: "x",
      outputs: { a: 1 },
      tokens: { ...FREE.tokens, inputTokens: 3 },
      costMicros: 2,
      model: "m",
    });
  });

  it("reads outputs out of text only when there are none", async () => {
    expect(await resultOf({ status: "completed", stdout: 'So: {"a": 1}' }, "json")).toMatchObject({
      outputs: { a: 1 },
    });
    expect(await resultOf({ status: "completed", stdout: '{"a": 1}' }, "text")).toEqual({
      status: "completed",
      stdout: '{"a": 1}',
      ...FREE,
    });
    expect(await resultOf({ status: "completed", stdout: '{"a": 1}', outputs: { b: 2 } }, "json")).toMatchObject({
      outputs: { b: 2 },
    });
  });

  it("reports it when JSON was asked for and there is none", async () => {
    const result = await resultOf({ status: "completed", stdout: "I would rather not." }, "json");
    expect(result).toMatchObject({ status: "completed", stdout: "I would rather not." });
    expect(result).not.toHaveProperty("outputs");
    expect(result.status === "completed" && result.warnings).toHaveLength(1);
  });

  it("repairs text that cannot be stored, and reports it", async () => {
    const result = await resultOf({ status: "completed", stdout: "a\u0000b", outputs: { x: "\ud800" } });
    expect(result).toMatchObject({ stdout: "a\ufffdb", outputs: { x: "\ufffd" } });
    expect(result.status === "completed" && result.warnings?.[0]).toContain("U+FFFD");
  });

  it.each([
    ["provider_error", "failed"],
    ["provider_bad_output", "failed"],
    ["timeout", "timed_out"],
    ["cancelled", "cancelled"],
  ])("reports the class %s as %s", async (failure, status) => {
    const answer = { status: "failed", failure, message: "no", retryAfterMs: 5, costUsd: 1 };
    expect(await resultOf(answer)).toEqual({
      status,
      errorCode: failure,
      error: "no",
      retryAfterMs: 5,
      tokens: FREE.tokens,
      costMicros: 1_000_000,
    });
  });

  it("passes on that the result follows later", async () => {
    expect(await resultOf({ status: "deferred" })).toEqual({ status: "deferred" });
  });

  it.each([
    ["nothing", undefined],
    ["an unknown status", { status: "great" }],
    ["an unknown class", { status: "failed", failure: "bad_luck", message: "" }],
    ["tokens that are no number", { status: "completed", inputTokens: Number.NaN }],
    ["a negative cost", { status: "completed", costUsd: -1 }],
    ["an absurd cost", { status: "completed", costUsd: 1e12 }],
    ["outputs that are not data", { status: "completed", outputs: { a: () => 1 } }],
    ["outputs that never end", { status: "completed", outputs: { a: Number.POSITIVE_INFINITY } }],
  ])("takes %s for a bug of the adapter", async (_, answer) => {
    expect(await resultOf(answer)).toMatchObject({ status: "failed", errorCode: "adapter_bug" });
  });

  it("takes whatever an adapter throws for its bug", async () => {
    for (const broken of [
      stubAdapter({ execute: () => Promise.reject(new Error("lost")) }),
      stubAdapter({
        execute: () => {
          throw new Error("lost");
        },
      }),
    ]) {
      expect(reportOutcome(await outcomeOf(broken, REQUEST))).toMatchObject({
        status: "failed",
        errorCode: "adapter_bug",
        error: expect.stringContaining("lost"),
      });
    }
  });

  it("keeps warnings of the adapter for the log of the run, up to a limit", async () => {
    const talkative = stubAdapter({
      execute: (_, { onLog }) => {
        onLog({ level: "info", message: "hello" });
        for (let index = 0; index < 60; index += 1) onLog({ level: "warning", message: `w${index}` });
        return Promise.resolve({ status: "completed" });
      },
    });
    const outcome = await outcomeOf(talkative, REQUEST);
    const result = reportOutcome(outcome);
    expect(outcome.logs).toHaveLength(61);
    expect(result.status === "completed" && result.warnings).toHaveLength(50);
  });
});
