import { describe, expect, it } from "vitest";
import { createScriptedAdapter, readScript } from "../adapters/index.ts";
import { createSystemClock } from "../clock/index.ts";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import { replay } from "../core/engine/index.ts";
import { DEFAULT_MODERATION } from "../core/moderation/index.ts";
import { checkSource, type Plan } from "../core/plan/index.ts";
import { type BrowserRunOptions, type Execute, runInBrowser } from "./index.ts";

function planOf(source: string): Plan {
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  if (plan === null) throw new Error(JSON.stringify(problems));
  return plan;
}

function scripted(script: string): Execute {
  const read = readScript(script);
  expect(read.problems).toEqual([]);
  const adapter = createScriptedAdapter({ script: read.script, clock: createSystemClock() });
  return async (request, hooks) => {
    const result = await adapter.execute(request, hooks);
    if (result.status === "suspended") throw new Error("nothing is judged in a page");
    return result;
  };
}

async function run(source: string, execute: Execute, more: Partial<BrowserRunOptions> = {}) {
  const outcome = await runInBrowser({
    plan: planOf(source),
    args: {},
    provider: { kind: "scripted", execute },
    runId: "run_1",
    random: () => 0.5,
    ...more,
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return outcome.value;
}

const lens = (mode: string): string => `format: lens-graph/v1
name: moderated
root_inputs: { text: { type: string, required: true } }
nodes:
  - { id: a, config: { template_body: "Say [[text]]", moderation: "${mode}" } }
`;
const TWO = "name: two\nsteps:\n  - { id: a, command: A }\n  - { id: b, command: 'B ${a.stdout}' }\n";

describe("a run in a page", () => {
  it("goes to its end, and its state is the fold of its events", async () => {
    const seen: string[] = [];
    const script = "nodes: { a: { chunks: [x, y], chunk_ms: 1 }, b: { fail: provider_error } }";
    const { events, state } = await run(TWO, scripted(script), {
      onEvents: (some) => seen.push(...some.map(({ type }) => type)),
    });
    expect(state.status).toBe("failed");
    expect(seen).toEqual(events.map(({ type }) => type));
    const folded = replay(state.plan, "run_1", events);
    expect([folded.status, folded.nodes]).toEqual([state.status, state.nodes]);
  });

  it("never goes back in time, although the clock of the page is set back", async () => {
    let now = 5_000_000;
    const execute: Execute = (request, hooks) => {
      now -= 60_000;
      return scripted("default: echo")(request, hooks);
    };
    const { events, state } = await run(TWO, execute, { now: () => now });
    expect(state.status).toBe("completed");
    expect(new Set(events.map(({ at }) => at))).toEqual(new Set([5_000_000]));
  });

  it("tries again as the engine says", async () => {
    const source =
      "name: again\nsteps:\n  - { id: a, command: A, retry: { attempts: 3, backoff_ms: 1, retry_on: [rate_limit] } }\n";
    const script = "nodes: { a: [{ fail: provider_rate_limit }, { fail: provider_rate_limit }, { stdout: done }] }";
    const { events, state } = await run(source, scripted(script));
    expect(state.status).toBe("completed");
    expect(events.filter(({ type }) => type === "node.retried")).toHaveLength(2);
  });

  it("is cancelled by its signal, before or while it runs", async () => {
    for (const isEarly of [true, false]) {
      const controller = new AbortController();
      let aborted = 0;
      const execute: Execute = (_, { signal }) => {
        signal.addEventListener("abort", () => (aborted += 1));
        queueMicrotask(() => controller.abort());
        return new Promise(() => undefined);
      };
      if (isEarly) controller.abort();
      const { state } = await run(TWO, execute, { signal: controller.signal });
      expect(state.status).toBe("cancelled");
      expect(aborted).toBe(1);
    }
  });

  it("ends where only a person could continue", async () => {
    const source =
      'format: lens-graph/v1\nname: open\nnodes:\n  - { id: a, config: { template_body: "Say [[what]]" } }\n';
    const { state } = await run(source, scripted("{}"));
    expect(state.status).toBe("running");
    expect(state.nodes[0]?.now).toMatchObject({ status: "blocked", missing: ["what"] });
  });

  it("takes a provider that breaks for a bug of the provider", async () => {
    const { events } = await run(TWO, () => Promise.reject(new Error("lost")));
    expect(events.find(({ type }) => type === "node.failed")?.payload).toMatchObject({ errorCode: "adapter_bug" });
  });

  it("does not begin what cannot run here, nor with args that do not fit", async () => {
    const options = { provider: { kind: "scripted", execute: scripted("{}") }, runId: "r" } as const;
    const gate = planOf("name: w\nsteps:\n  - { id: a, approval: required }\n");
    expect(await runInBrowser({ ...options, plan: gate, args: {} })).toMatchObject({
      ok: false,
      failure: [{ code: "not_runnable_in_browser", nodeId: "a" }],
    });
    expect(await runInBrowser({ ...options, plan: planOf(TWO), args: { odd: 1 } })).toMatchObject({
      ok: false,
      failure: [{ code: "unknown_key" }],
    });
  });
});

describe("moderation in a page", () => {
  const moderation = { ...DEFAULT_MODERATION, words: ["bad"] };
  const judge = (mode: string, text: string, script: string) =>
    run(lens(mode), scripted(script), { args: { text }, moderation });

  it("stops an input before anything is sent", async () => {
    const { events } = await judge("input", "b.a.d", "default: echo");
    const types = events.map(({ type }) => type);
    expect(types).toContain("moderation.flagged");
    expect(types).not.toContain("node.started");
  });

  it("stops an output, and shows nothing of it", async () => {
    const { events } = await judge("output", "x", "nodes: { a: { chunks: [so, ' bad'] } }");
    const types = events.map(({ type }) => type);
    expect(types).toContain("moderation.flagged");
    expect(types).not.toContain("node.stream.delta");
    expect(JSON.stringify(events)).not.toContain("so bad");
  });

  it("shows a stream that has passed, and checks nothing when moderation is off", async () => {
    const passed = await judge("both", "x", "nodes: { a: { chunks: [so, ' fine'] } }");
    expect(passed.state.status).toBe("completed");
    expect(passed.events.some(({ type }) => type === "node.stream.delta")).toBe(true);
    expect((await judge("off", "bad", "default: echo")).state.status).toBe("completed");
  });
});
