import { describe, expect, it } from "vitest";
import { jsonToText } from "../core/base/index.ts";
import {
  type Adapter,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
  checkAdapter,
  type ModelReply,
  runTurn,
  type TurnHooks,
} from "./index.ts";

const CANCELLED: AdapterResult = { status: "failed", failure: "cancelled", message: "Cancelled." };

/** Calls two tools in its first round and one in its second, through the loop. */
async function takeTurn(request: AdapterRequest, hooks: AdapterHooks): Promise<AdapterResult> {
  if (hooks.signal.aborted) return CANCELLED;
  const end = await runTurn({
    request,
    hooks,
    model: (rounds) => {
      const tools = [["a", "b"], ["c"], []][rounds.length] ?? [];
      const reply: ModelReply = {
        finish: tools.length > 0 ? "tool_calls" : "stop",
        message: { content: tools.length > 0 ? "" : request.message },
        calls: tools.map((tool) => ({ tool, args: {} })),
      };
      return Promise.resolve(reply);
    },
    tools: ({ callId }) => Promise.resolve(callId),
    textOf: ({ content = "" }) => jsonToText(content),
  });
  if (end.kind === "answered") return { status: "completed", stdout: end.text };
  return end.kind === "suspended" ? { status: "suspended" } : CANCELLED;
}

function makeAdapter(execute: Adapter["execute"] = takeTurn, turns: "judged" | "durable" = "durable"): Adapter {
  return {
    specificationVersion: "v1",
    provider: "turns",
    initialize: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
    checkHealth: () => Promise.resolve({ status: "healthy" }),
    capabilities: () => ({ streaming: false, structuredOutput: false, tools: true, deferred: false, turns }),
    execute,
    cancel: () => Promise.resolve(),
  };
}

const turn = { message: "Go." };

async function turnChecks(adapter: Adapter, options: Parameters<typeof checkAdapter>[1] = { turn }) {
  const { checks } = await checkAdapter(adapter, options);
  return Object.fromEntries(checks.filter(({ name }) => name.startsWith("turn")).map(({ name, ok }) => [name, ok]));
}

type Hooked = (hooks: AdapterHooks & TurnHooks) => Partial<AdapterHooks>;

/** The same turn by an adapter that does something else with its hooks. */
function bent(bend: Hooked, request?: (given: AdapterRequest) => AdapterRequest): Adapter {
  return makeAdapter((given, hooks) => {
    const { round, tool, toolResult } = hooks;
    if (round === undefined || tool === undefined || toolResult === undefined) return takeTurn(given, hooks);
    return takeTurn(request?.(given) ?? given, { ...hooks, ...bend({ ...hooks, round, tool, toolResult }) });
  });
}

/** Acts on its own authority. */
const allowAll: Hooked = ({ round }) => ({
  round: async (report) => {
    const reply = await round(report);
    if (reply.next === "stop") return reply;
    const rulings = reply.rulings.map(({ callId }) => ({ disposition: "allow" as const, callId, args: {} }));
    return { next: "go", rulings };
  },
});

const BROKEN: readonly (readonly [string, Adapter, readonly string[]])[] = [
  [
    "keeps its results to itself",
    bent(() => ({ toolResult: () => Promise.resolve() })),
    ["turn: order", "turn: suspension"],
  ],
  ["makes calls that are not allowed", bent(allowAll), ["turn: denial", "turn: suspension"]],
  [
    "begins anew every time",
    bent(
      () => ({}),
      (given) => ({ ...given, resume: { rounds: [], results: {} } }),
    ),
    ["turn: suspension", "turn: resume"],
  ],
  [
    "reports no round",
    bent(({ tool }) => ({
      round: async ({ round, calls = [] }) => ({
        next: "go",
        rulings: await Promise.all(
          calls.map((call, position) => tool({ callId: `conformance-key-order/${round}/${position}`, ...call })),
        ),
      }),
    })),
    ["turn: order"],
  ],
  [
    "acts first and reports then",
    bent(({ round, toolResult }) => ({
      round: async (report) => {
        for (const position of (report.calls ?? []).keys()) {
          await toolResult({ callId: `conformance-key-order/${report.round}/${position}`, result: 1 });
        }
        return round(report);
      },
    })),
    ["turn: order"],
  ],
  [
    "does not wait until its results are stored",
    bent(({ toolResult }) => ({
      toolResult: (report) => {
        toolResult(report).catch(() => undefined);
        return Promise.resolve();
      },
    })),
    ["turn: order"],
  ],
  [
    "continues when its attempt is over",
    bent(({ toolResult, round }) => ({
      toolResult: (report) => toolResult(report).catch(() => undefined),
      round: (report) => round(report).catch(() => ({ next: "go", rulings: [] })),
    })),
    ["turn: resume"],
  ],
];

describe("the conformance of turns", () => {
  it("is kept by the loop", async () => {
    const report = await checkAdapter(makeAdapter(), { turn });
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
    expect(await turnChecks(makeAdapter())).toEqual({
      "turn: order": true,
      "turn: denial": true,
      "turn: suspension": true,
      "turn: resume": true,
    });
  });

  it.each(BROKEN)("sees an adapter that %s", async (_, adapter, names) => {
    const checks = await turnChecks(adapter);
    const seen = Object.keys(checks).filter((name) => checks[name] === false);
    for (const name of names) expect(seen).toContain(name);
  });

  it("is not tested without a turn, nor beyond what is promised", async () => {
    expect(Object.values(await turnChecks(makeAdapter(), {}))).toEqual([null, null, null, null]);
    const judged = await turnChecks(makeAdapter(takeTurn, "judged"));
    expect(judged).toMatchObject({ "turn: order": true, "turn: suspension": null, "turn: resume": null });
    const opaque = {
      ...makeAdapter(),
      capabilities: () => ({ ...makeAdapter().capabilities(), turns: "opaque" as const }),
    };
    expect(await turnChecks(opaque)).toEqual({});
  });

  it("knows three kinds of turns", async () => {
    const odd = { ...makeAdapter(), capabilities: () => ({ ...makeAdapter().capabilities(), turns: "some" as never }) };
    const { checks } = await checkAdapter(odd, { turn });
    expect(checks.find(({ name }) => name === "capabilities")).toMatchObject({ ok: false });
  });
});
