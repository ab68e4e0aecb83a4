import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AdapterRequest, AdapterResult, CallRuling, Resume, RoundReport, TurnHooks } from "../../adapter/index.ts";
import { roundReportSchema, toolCallId, toolReportSchema } from "../../adapter/index.ts";
import { createVirtualClock } from "../../clock/index.ts";
import { readScript } from "../../core/script/index.ts";
import { createFileLedger, type LedgerCall } from "./ledger.ts";
import { createScriptedAdapter } from "./scripted-adapter.ts";

const REQUEST: AdapterRequest = {
  dispatchId: "run_1/agent/1",
  runId: "run_1",
  stepId: "agent",
  attempt: 1,
  idempotencyKey: "run_1/agent/0",
  provider: "scripted",
  agentId: "default",
  message: "Refund order 7.",
  inputs: {},
  outputStrategy: "text",
  timeoutMs: null,
  context: { runId: "run_1", workflow: "refunds", phase: null, upstreamDigest: null },
  effects: "at_least_once",
};

const REFUND = `nodes:
  agent:
    rounds:
      - text: Let me see.
        calls: [{ tool: find, server: orders, args: { order: 7 }, result: { total: 900 }, delay_ms: 5 }]
        tokens: { input: 100, output: 10 }
        cost_usd: 0.25
      - text: 900 it is.
        calls:
          - tool: refund
            args: { amount: 900 }
            result: { ok: true }
            schema: { type: object, properties: { amount: { type: number } } }
        on_deny: 3
        on_changed: 4
        cost_usd: 0.5
      - { text: Refunded., tokens: { input: 200, output: 20 } }
      - { text: Not refunded. }
      - { text: Refunded in part. }
`;

type Rule = (tool: string) => {
  readonly disposition: CallRuling["disposition"];
  readonly reason?: string;
  readonly timeoutMs?: number;
};

/** Keeps what is reported, as the engine would. */
function keep(rule: Rule = () => ({ disposition: "allow" })) {
  const reports: RoundReport[] = [];
  const rounds: Resume["rounds"] = [];
  const results: Resume["results"] = {};
  const hooks: TurnHooks = {
    round: (report) => {
      reports.push(report);
      const { message, calls: asked } = roundReportSchema.parse(report);
      const calls = asked.map(({ tool, args }, position) => {
        const callId = toolCallId(REQUEST.idempotencyKey, report.round, position);
        return { callId, tool, args, ruling: { args, ...rule(tool), callId } as CallRuling };
      });
      rounds.push({ message, calls });
      return Promise.resolve({ next: "go", rulings: calls.map(({ ruling }) => ruling) });
    },
    tool: () => Promise.reject(new Error("Every call was ruled on.")),
    toolResult: (report) => {
      const { callId, result, isError } = toolReportSchema.parse(report);
      results[callId] = { result, isError };
      return Promise.resolve();
    },
  };
  return { hooks, reports, resume: { rounds, results } };
}

function setUp(source: string) {
  const { script, problems } = readScript(source);
  expect(problems).toEqual([]);
  const clock = createVirtualClock(Date.UTC(2026, 0, 2));
  const lines: (LedgerCall | undefined)[] = [];
  const adapter = createScriptedAdapter({ script, clock, ledger: (_, __, call) => void lines.push(call) });
  const execute = async (
    hooks: Partial<TurnHooks> = {},
    request: Partial<AdapterRequest> = {},
    signal?: AbortSignal,
  ) => {
    let result: AdapterResult | undefined;
    const all = { signal: signal ?? new AbortController().signal, onPartial: () => undefined, onLog: () => undefined };
    void adapter.execute({ ...REQUEST, ...request }, { ...all, ...hooks }).then((given) => (result = given));
    await clock.run(() => result !== undefined);
    return result;
  };
  const named = () => lines.map((line) => (line?.kind === "tool" ? line.callId : `model ${line?.round ?? "none"}`));
  return { execute, lines, named };
}

describe("a scripted turn", () => {
  it("goes through its rounds, and the last text is the answer", async () => {
    const { execute, lines } = setUp(REFUND);
    const { hooks, reports } = keep();
    expect(await execute(hooks)).toEqual({ status: "completed", stdout: "Refunded." });
    expect(reports).toMatchObject([
      { round: 0, finish: "tool_calls", text: "Let me see.", inputTokens: 100, outputTokens: 10, costUsd: 0.25 },
      { round: 1, finish: "tool_calls", costUsd: 0.5 },
      { round: 2, finish: "stop", text: "Refunded.", calls: [], inputTokens: 200 },
    ]);
    expect(reports[0]?.calls).toEqual([{ tool: "find", server: "orders", args: { order: 7 } }]);
    expect(reports[1]?.calls?.[0]?.schema).toEqual({ type: "object", properties: { amount: { type: "number" } } });
    expect(lines).toEqual([
      { kind: "model", round: 0, segment: 0 },
      { kind: "tool", callId: "run_1/agent/0/0/0", tool: "find", server: "orders", args: { order: 7 } },
      { kind: "model", round: 1, segment: 0 },
      { kind: "tool", callId: "run_1/agent/0/1/0", tool: "refund", args: { amount: 900 } },
      { kind: "model", round: 2, segment: 0 },
    ]);
  });

  it("ends calls that hang when their time is over, by its own clock", async () => {
    const { execute } = setUp(`nodes:
  agent:
    rounds:
      - calls: [{ tool: refund, hang: true }, { tool: find, delay_ms: 59000, result: 1 }]
      - { text: Well. }
`);
    const { hooks, resume } = keep(() => ({ disposition: "allow", timeoutMs: 60_000 }));
    expect(await execute(hooks)).toMatchObject({ status: "completed", stdout: "Well." });
    expect(Object.values(resume.results)).toEqual([
      { result: 1, isError: false },
      {
        result: expect.stringContaining("tool_timeout: refund did not answer within 60000 ms") as string,
        isError: true,
      },
    ]);
  });

  it("runs unjudged where no calls are judged, and then has the whole cost", async () => {
    expect(await setUp(REFUND).execute()).toEqual({
      status: "completed",
      stdout: "Refunded.",
      inputTokens: 300,
      outputTokens: 30,
      thinkingTokens: 0,
      cachedTokens: 0,
      costUsd: 0.75,
    });
  });

  it("follows the round that a denial names", async () => {
    const { execute, named } = setUp(REFUND);
    const { hooks } = keep((tool) =>
      tool === "refund" ? { disposition: "deny", reason: "No." } : { disposition: "allow" },
    );
    expect(await execute(hooks)).toMatchObject({ stdout: "Not refunded." });
    expect(named()).toEqual(["model 0", "run_1/agent/0/0/0", "model 1", "model 2"]);
  });

  it("suspends, and continues where it was with changed args", async () => {
    const { execute, lines, named } = setUp(REFUND);
    const { hooks, resume } = keep((tool) => ({ disposition: tool === "refund" ? "suspend" : "allow" }));
    expect(await execute(hooks)).toEqual({ status: "suspended" });
    const held = resume.rounds[1]?.calls[0];
    if (held === undefined) throw new Error("nothing is held");
    held.ruling = { disposition: "allow", callId: held.callId, args: { amount: 450 }, note: "A person made it 450." };
    const end = await execute(hooks, { resume: structuredClone(resume), segment: 1 });
    expect(end).toMatchObject({ status: "completed", stdout: "Refunded in part." });
    expect(named()).toEqual(["model 0", "run_1/agent/0/0/0", "model 1", "run_1/agent/0/1/0", "model 2"]);
    expect(lines[3]).toMatchObject({ tool: "refund", args: { amount: 450 } });
    expect(lines[4]).toEqual({ kind: "model", round: 2, segment: 1 });
  });

  it("continues after a failed call of the model with the entry of the next attempt", async () => {
    const { execute, named } = setUp(`nodes:
  agent:
    - rounds:
        - { calls: [{ tool: a, fail: Broken. }] }
        - { fail: provider_rate_limit, message: Slow down., retry_after_ms: 10, cost_usd: 0.1 }
    - rounds:
        - { calls: [{ tool: a }] }
        - { text: Done. }
`);
    const { hooks, resume } = keep();
    expect(await execute(hooks)).toEqual({
      status: "failed",
      failure: "provider_rate_limit",
      message: "Slow down.",
      retryAfterMs: 10,
      costUsd: 0.1,
    });
    expect(resume.results).toEqual({ "run_1/agent/0/0/0": { result: "Broken.", isError: true } });
    expect(await execute(hooks, { resume, attempt: 2 })).toMatchObject({ status: "completed", stdout: "Done." });
    expect(named()).toEqual(["model 0", "run_1/agent/0/0/0", "model 1", "model 1"]);
  });

  it("has malformed calls, and makes up an answer where it has no text", async () => {
    const { execute, named } = setUp("nodes: { agent: { rounds: [{ calls: [{ tool: a, args: nonsense }] }, {}] } }");
    const { hooks, reports } = keep();
    const end = await execute(hooks);
    expect(end?.status === "completed" && end.stdout).toMatch(/of agent: Refund order 7\.$/);
    expect(reports[0]?.calls).toEqual([]);
    expect(named()).toEqual(["model 0", "model 1"]);
  });

  it.each(["{ hang: true }", "{ calls: [{ tool: a, hang: true }] }, {}", "{ delay_ms: 1000000 }"])(
    "ends when it is aborted: %s",
    async (rounds) => {
      const { script } = readScript(`nodes: { agent: { rounds: [${rounds}] } }`);
      const clock = createVirtualClock(Date.UTC(2026, 0, 2));
      const controller = new AbortController();
      const { hooks } = keep();
      const end = createScriptedAdapter({ script, clock }).execute(REQUEST, {
        signal: controller.signal,
        onPartial: () => undefined,
        onLog: () => undefined,
        ...hooks,
      });
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      expect(await end).toMatchObject({ status: "failed", failure: "cancelled" });
    },
  );

  it("may run in circles until it is stopped", async () => {
    const deny = keep(() => ({ disposition: "deny", reason: "No." }));
    const source = "nodes: { agent: { rounds: [{ calls: [{ tool: a }], on_deny: 0 }, { text: Done. }] } }";
    let rounds = 0;
    const hooks: TurnHooks = {
      ...deny.hooks,
      round: (report) => {
        rounds += 1;
        return rounds > 30
          ? Promise.resolve({ next: "stop", code: "turn_limits", reason: "Enough." })
          : deny.hooks.round(report);
      },
    };
    expect(await setUp(source).execute(hooks)).toEqual({ status: "suspended" });
  });
});

describe("the ledger of a turn", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-turn-ledger-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("has a line for every model and tool call, with the key of each", async () => {
    const file = join(folder, "ledger.jsonl");
    const clock = createVirtualClock(Date.UTC(2026, 0, 2));
    const adapter = createScriptedAdapter({ script: readScript(REFUND).script, clock, ledger: createFileLedger(file) });
    let isOver = false;
    const hooks = { signal: new AbortController().signal, onPartial: () => undefined, onLog: () => undefined };
    void adapter.execute(REQUEST, hooks).then(() => (isOver = true));
    await clock.run(() => isOver);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { idempotencyKey: string }).idempotencyKey)).toEqual([
      "run_1/agent/0/0",
      "run_1/agent/0/0/0",
      "run_1/agent/0/1",
      "run_1/agent/0/1/0",
      "run_1/agent/0/2",
    ]);
    expect(JSON.parse(lines[3] ?? "")).toEqual({
      dispatchId: "run_1/agent/1",
      idempotencyKey: "run_1/agent/0/1/0",
      run: "run_1",
      node: "agent",
      attempt: 1,
      time: "2026-01-02T00:00:00.005Z",
      kind: "tool",
      callId: "run_1/agent/0/1/0",
      tool: "refund",
      args: { amount: 900 },
    });
  });
});
