import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AdapterRequest, AdapterResult, StreamPart } from "../../adapter/index.ts";
import { Executions, type ExecutionOutcome, reportOutcome } from "../../bridge/index.ts";
import { createVirtualClock } from "../../clock/index.ts";
import { createFileLedger } from "./ledger.ts";
import { readScript } from "../../core/script/index.ts";
import { createScriptedAdapter } from "./scripted-adapter.ts";

const REQUEST: AdapterRequest = {
  dispatchId: "run_1/classify/1",
  runId: "run_1",
  stepId: "classify",
  attempt: 1,
  idempotencyKey: "run_1/classify/0",
  provider: "scripted",
  agentId: "default",
  message: "Classify the vendor.\nBe brief.",
  inputs: {},
  outputStrategy: "text",
  timeoutMs: 1_000,
  context: { runId: "run_1", workflow: "review", phase: null, upstreamDigest: null },
  effects: "at_least_once",
};

function setUp(source: string) {
  const { script, problems } = readScript(source);
  expect(problems).toEqual([]);
  const clock = createVirtualClock(Date.UTC(2026, 0, 2));
  const controller = new AbortController();
  const parts: { readonly at: number; readonly part: StreamPart }[] = [];
  const startedAt = clock.now();
  const adapter = createScriptedAdapter({ script, clock });
  const hooks = {
    signal: controller.signal,
    onPartial: (part: StreamPart) => void parts.push({ at: clock.now() - startedAt, part }),
    onLog: () => undefined,
  };
  const execute = async (request: Partial<AdapterRequest> = {}) => {
    let result: AdapterResult | undefined;
    void adapter.execute({ ...REQUEST, ...request }, hooks).then((given) => (result = given));
    const isAnswered = await clock.run(() => result !== undefined);
    return { result, isAnswered, afterMs: clock.now() - startedAt };
  };
  return { adapter, clock, controller, hooks, parts, execute };
}

const SCHEMA = {
  type: "object",
  properties: { kind: { type: "string", enum: ["saas", "other"] }, score: { type: "integer", minimum: 1, maximum: 9 } },
  required: ["kind", "score"],
};

describe("scripted adapter", () => {
  it("fails, then answers, attempt by attempt", async () => {
    const { execute } = setUp(`nodes:
  classify:
    - { delay_ms: 20, fail: provider_rate_limit, retry_after_ms: 50 }
    - { outputs: { kind: saas }, tokens: { input: 120, output: 40 }, cost_usd: 0.002 }`);
    const first = await execute();
    expect(first.result).toMatchObject({ status: "failed", failure: "provider_rate_limit", retryAfterMs: 50 });
    expect(first.afterMs).toBe(20);
    const second = await execute({ attempt: 2 });
    expect(second.result).toMatchObject({
      status: "completed",
      outputs: { kind: "saas" },
      stdout: '{"kind":"saas"}',
      inputTokens: 120,
      outputTokens: 40,
      costUsd: 0.002,
    });
  });

  it("streams its pieces and then returns all of it", async () => {
    const { execute, parts } = setUp(`nodes: { classify: { chunks: ["The ", "answer"], chunk_ms: 10 } }`);
    const { result, afterMs } = await execute();
    expect(parts).toEqual([
      { at: 10, part: { text: "The " } },
      { at: 20, part: { text: "answer" } },
    ]);
    expect(result).toEqual({ status: "completed", stdout: "The answer" });
    expect(afterMs).toBe(20);
  });

  it("hangs until it is aborted", async () => {
    const { execute, controller, adapter, hooks } = setUp(`nodes: { classify: { hang: true } }`);
    expect(await execute()).toMatchObject({ isAnswered: false });
    const answer = adapter.execute(REQUEST, hooks);
    controller.abort();
    expect(await answer).toMatchObject({ status: "failed", failure: "cancelled" });
  });

  it("stops waiting when it is aborted", async () => {
    const { clock, controller, adapter, hooks } = setUp(`nodes: { classify: { delay_ms: 5000, stdout: late } }`);
    const answer = adapter.execute(REQUEST, hooks);
    controller.abort();
    expect(await answer).toMatchObject({ status: "failed", failure: "cancelled" });
    expect(await clock.run(() => false)).toBe(false);
    expect(clock.now()).toBe(Date.UTC(2026, 0, 2));
  });

  it("makes up outputs that fit, always the same for one seed", async () => {
    const request = { outputStrategy: "json", outputSchema: SCHEMA } as const;
    const seven = await setUp("seed: 7").execute(request);
    expect(seven.result).toMatchObject({ status: "completed", outputs: { kind: "saas" } });
    expect((await setUp("seed: 7").execute({ ...request, runId: "run_2" })).result).toEqual(seven.result);
    expect((await setUp("seed: 8").execute(request)).result).not.toEqual(seven.result);
  });

  it("answers something when nothing is declared", async () => {
    const { result } = await setUp("{}").execute();
    expect(result).toMatchObject({ status: "completed" });
    expect(result?.status === "completed" && result.stdout).toMatch(/of classify: Classify the vendor\.$/);
  });

  it("echoes when the entry asks for it", async () => {
    const { result } = await setUp("default: echo").execute();
    expect(result).toEqual({ status: "completed", stdout: REQUEST.message });
  });

  it("keeps the bill of an answer it makes up", async () => {
    const { result } = await setUp("nodes: { classify: { cost_usd: 1.5 } }").execute();
    expect(result).toMatchObject({ status: "completed", costUsd: 1.5 });
  });
});

describe("scripted adapter behind the Bridge", () => {
  const perform = async (source: string, request: Partial<AdapterRequest> = {}) => {
    const { adapter, clock } = setUp(source);
    const ended: ExecutionOutcome[] = [];
    const report = { stream: () => undefined, ended: (outcome: ExecutionOutcome) => ended.push(outcome) };
    new Executions({ adapters: [adapter], clock }).start({ ...REQUEST, ...request }, report);
    await clock.run(() => ended.length > 0);
    const [outcome] = ended;
    if (outcome === undefined) throw new Error("it did not end");
    return { result: reportOutcome(outcome), times: outcome.times };
  };

  it("sends a raw answer through the normaliser", async () => {
    const raw = String.raw`nodes: { classify: { raw: "Here:\n\u0060\u0060\u0060json\n{\"ok\": \"yes\"}\n\u0060\u0060\u0060 done" } }`;
    const { result } = await perform(raw, { outputStrategy: "json" });
    expect(result).toMatchObject({ status: "completed", outputs: { ok: "yes" } });
    expect(result.status === "completed" && result.warnings?.join(" ")).toContain("first_json");
  });

  it("delivers a report several times when the entry asks for it", async () => {
    const { times } = await perform("nodes: { classify: { outputs: {}, duplicate_callback: 3 } }");
    expect(times).toBe(4);
  });
});

describe("ledger", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-ledger-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("has its line before anything happens", async () => {
    const file = join(folder, "ledger.jsonl");
    const clock = createVirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
    const { script } = readScript("nodes: { classify: { delay_ms: 1000 } }");
    const adapter = createScriptedAdapter({ script, clock, ledger: createFileLedger(file) });
    const answer = adapter.execute(REQUEST, {
      signal: new AbortController().signal,
      onPartial: () => undefined,
      onLog: () => undefined,
    });
    expect(readFileSync(file, "utf8")).toBe(
      `${JSON.stringify({
        dispatchId: "run_1/classify/1",
        idempotencyKey: "run_1/classify/0",
        run: "run_1",
        node: "classify",
        attempt: 1,
        time: "2026-01-02T03:04:05.000Z",
      })}\n`,
    );
    let isAnswered = false;
    void answer.then(() => (isAnswered = true));
    await clock.run(() => isAnswered);
  });
});
