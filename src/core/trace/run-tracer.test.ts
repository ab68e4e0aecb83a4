import { describe, expect, it } from "vitest";
import { ALLOW, Rig } from "../../../test/conformance/rig.ts";
import type { Verdict } from "../engine/index.ts";
import type { RunEvent } from "../event/index.ts";
import { writeExportRequest } from "./otlp.ts";
import { EVENTS_PER_SPAN_MAX } from "./open-span.ts";
import { type RunIdentity, spansOf } from "./run-tracer.ts";
import { isEnded, type Span } from "./span.ts";
import { attemptSpanId } from "./span-id.ts";

const RUN: RunIdentity = { runId: "run_1", traceId: "a".repeat(32), rootSpanId: "b".repeat(16), orgId: "default" };
const TOKENS = { inputTokens: 100, outputTokens: 20, thinkingTokens: 5, cachedTokens: 40 };

function traced(events: readonly RunEvent[], run: RunIdentity = RUN) {
  const spans = spansOf(run, events);
  const named = (name: string): Span => {
    const found = spans.filter((span) => span.name === name);
    if (found.length !== 1) throw new Error(`${found.length} spans are called ${name}`);
    return found[0] as Span;
  };
  return { spans, named, names: spans.map(({ name }) => name) };
}

const eventsOf = (span: Span): string[] => span.events.map(({ name }) => name);

const MODELLED: Verdict = {
  disposition: "allow",
  verdictId: "vrd_2",
  route: { agentId: "writer", gatewayId: "gw", provider: "openai", model: "gpt-x", executionPath: "async" },
};

describe("the spans of a run", () => {
  it("are the run, its nodes inside it, and the attempts inside those", () => {
    const rig = new Rig("name: w\nsteps:\n  - { id: a, command: A }\n  - { id: b, command: B, depends_on: [a] }\n");
    rig.start();
    rig.now += 1_000;
    rig.complete("a");
    rig.now += 500;
    rig.complete("b");
    const { spans, named, names } = traced(rig.events);
    expect(names).toEqual(["invoke_agent default", "node a", "invoke_agent default", "node b", "invoke_workflow w"]);
    expect(spans.every(isEnded)).toBe(true);
    const root = named("invoke_workflow w");
    expect(root).toMatchObject({ spanId: RUN.rootSpanId, parentSpanId: null, kind: "internal", status: "ok" });
    expect(Object.fromEntries(root.attributes)).toEqual({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": "w",
      "sluice.run.id": "run_1",
      "sluice.organisation.id": "default",
      "sluice.workflow.version": 1,
      "sluice.run.trigger": "test",
      "sluice.node.count": 2,
      "sluice.run.status": "completed",
      "sluice.cost.usd": 0,
    });
    for (const id of ["a", "b"]) expect(named(`node ${id}`).parentSpanId).toBe(root.spanId);
    // Waiting for others is no part of a node: b begins when a has ended.
    expect(named("node b").startedAt).toBe(named("node a").endedAt);
    expect(spans.map(({ startedAt, endedAt }) => (endedAt ?? 0) - startedAt)).toEqual([1_000, 1_000, 500, 500, 1_500]);
    expect(spans[0]).toMatchObject({ spanId: attemptSpanId("run_1/a/1"), parentSpanId: named("node a").spanId });
    expect(eventsOf(named("node a"))).toEqual(["node.queued", "gate.decided"]);
  });

  it("say what a model was asked for and what it cost, and nothing of what was said", () => {
    const rig = new Rig("name: w\nargs: { who: { type: string } }\nsteps:\n  - { id: a, command: 'Secret ${who}' }\n", {
      args: { who: "prompt" },
      judge: () => MODELLED,
    });
    rig.start();
    rig.submit({ type: "stream", nodeId: "a", attempt: 1, deltas: [0, 1].map((index) => ({ index, text: "hidden" })) });
    const result = {
      status: "completed",
      stdout: "hidden",
      tokens: TOKENS,
      costMicros: 1_500,
      model: "gpt-x-1",
    } as const;
    rig.callback("a", result);
    const { spans, named } = traced(rig.events);
    const chat = named("chat gpt-x");
    expect(chat).toMatchObject({ kind: "client", status: "ok" });
    expect(Object.fromEntries(chat.attributes)).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.agent.id": "writer",
      "gen_ai.agent.name": "writer",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-x",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 20,
      "gen_ai.usage.reasoning.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 40,
      "sluice.cost.usd": 0.0015,
      "sluice.attempt": 1,
      "sluice.node.id": "a",
      "sluice.gateway.id": "gw",
      "sluice.gate.disposition": "allow",
    });
    expect(eventsOf(chat)).toEqual(["node.stream.delta"]);
    expect(named("node a").attributes.get("sluice.cost.usd")).toBe(0.0015);
    const sent = JSON.stringify(writeExportRequest({ attributes: new Map(), version: "1" }, spans.filter(isEnded)));
    expect(sent).not.toMatch(/hidden|Secret|prompt/);
    expect(sent).toContain('{"key":"sluice.cost.usd","value":{"doubleValue":0.0015}}');
    expect(sent).toContain('{"key":"sluice.attempt","value":{"intValue":"1"}}');
    expect(sent).toContain('"startTimeUnixNano":"1000000000000"');
  });

  it("show every attempt, why it failed, and when the next was due", () => {
    const rig = new Rig("name: w\nsteps:\n  - { id: a, command: A, on_failure: retry }\n").start();
    rig.fail("a", "provider_rate_limit").fire("retry").fail("a", "provider_auth");
    const { spans, named } = traced(rig.events);
    const attempts = spans.filter(({ name }) => name === "invoke_agent default");
    expect(attempts.map(({ status, attributes }) => [status, attributes.get("error.type")])).toEqual([
      ["error", "provider_rate_limit"],
      ["error", "provider_auth"],
    ]);
    expect(attempts[1]?.startedAt).toBe((attempts[0]?.endedAt ?? 0) + 1_000);
    const node = named("node a");
    expect(node).toMatchObject({ status: "error" });
    expect(eventsOf(node)).toEqual(["node.queued", "gate.decided", "node.retried", "node.queued", "gate.decided"]);
    expect(Object.fromEntries(node.events[2]?.attributes ?? [])).toEqual({
      "sluice.retry.cause": "rate_limit",
      "sluice.retry.delay_ms": 1_000,
      "sluice.retry.next_attempt": 2,
      "error.type": "provider_rate_limit",
    });
    expect(named("invoke_workflow w").attributes.get("error.type")).toBe("provider_auth");
    expect(named("invoke_workflow w").status).toBe("error");
  });

  it("show a hold as a wait inside the node, without an attempt", () => {
    let asked = 0;
    const hold: Verdict = {
      disposition: "hold",
      verdictId: "vrd_h",
      gate: "approval_required",
      message: "a person must look",
      policies: ["p@1"],
      agentId: "default",
      rule: {
        approvers: [],
        otherwise: null,
        isSeparate: false,
        expiresMs: 1_000_000,
        quorum: 1,
        show: [],
        form: null,
        confirm: null,
      },
    } as unknown as Verdict;
    const rig = new Rig("name: w\nsteps:\n  - { id: a, command: A }\n", {
      judge: () => ((asked += 1) === 1 ? hold : ALLOW),
    }).start();
    expect(traced(rig.events).spans.map(({ name, endedAt }) => [name, endedAt])).toEqual([
      ["invoke_workflow w", null],
      ["node a", null],
    ]);
    rig.now += 60_000;
    rig.answer("a", "approve", { by: "ada@example.org" });
    rig.complete("a");
    const node = traced(rig.events).named("node a");
    expect(eventsOf(node)).toEqual([
      "node.queued",
      "gate.decided",
      "approval.requested",
      "node.blocked",
      "approval.resolved",
      "node.queued",
      "gate.decided",
    ]);
    expect(node.attributes.get("sluice.gate.name")).toBe("approval_required");
    expect(node.attributes.get("sluice.gate.disposition")).toBe("allow");
    expect(Object.fromEntries(node.events[4]?.attributes ?? [])).toMatchObject({
      "sluice.approval.status": "approved",
      "sluice.approval.decision": "approve",
    });
    expect(JSON.stringify(node.events.map(({ attributes }) => [...attributes]))).not.toMatch(/ada|a person/);
  });

  it("put instances under their node", () => {
    const source = `name: w
args: { list: { type: array, default: [1, 2] } }
steps:
  - { id: each, command: "Do \${item}", for_each: $list }
`;
    const rig = new Rig(source).start();
    rig.complete("each[0]").fail("each[1]", "provider_auth");
    const { named } = traced(rig.events);
    for (const id of ["each[0]", "each[1]"]) expect(named(`node ${id}`).parentSpanId).toBe(named("node each").spanId);
    expect(named("node each[1]").status).toBe("error");
    expect(named("node each").attributes.get("error.type")).toBe("too_many_failures");
  });

  it("give a run that is opened again a span of its own, and leave the first as it was", () => {
    const rig = new Rig("name: w\nsteps:\n  - { id: a, command: A }\n").start();
    rig.fail("a", "provider_auth");
    const before = traced(rig.events).spans;
    rig.now += 5_000;
    rig.submit({ type: "recover" });
    rig.complete("a");
    const { spans } = traced(rig.events);
    expect(spans.slice(0, before.length)).toEqual(before);
    const again = spans.filter(({ name }) => name === "invoke_workflow w")[1];
    expect(again).toMatchObject({
      parentSpanId: null,
      links: [{ traceId: RUN.traceId, spanId: RUN.rootSpanId }],
      status: "ok",
    });
    expect(eventsOf(again as Span)).toEqual([
      "run.status.changed",
      "node.invalidated",
      "run.status.changed",
      "run.recovered",
    ]);
    const nodes = spans.filter(({ name }) => name === "node a");
    expect(nodes.map(({ parentSpanId }) => parentSpanId)).toEqual([RUN.rootSpanId, again?.spanId]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  it("hang below the attempt that started the run, or point to it from another trace", () => {
    const rig = new Rig("name: w\nsteps:\n  - { id: a, command: A }\n").start();
    const spanId = attemptSpanId("run_0/call/1");
    const same = traced(rig.events, { ...RUN, parent: { traceId: RUN.traceId, spanId } }).named("invoke_workflow w");
    expect(same).toMatchObject({ parentSpanId: spanId, links: [] });
    const other = { traceId: "c".repeat(32), spanId };
    const linked = traced(rig.events, { ...RUN, parent: other }).named("invoke_workflow w");
    expect(linked).toMatchObject({ parentSpanId: null, links: [other] });
  });

  it.each([EVENTS_PER_SPAN_MAX - 1, EVENTS_PER_SPAN_MAX, EVENTS_PER_SPAN_MAX + 1])(
    "hold at most so many events each, and count the rest (%i)",
    (count) => {
      const rig = new Rig("name: w\nsteps:\n  - { id: a, command: A }\n").start();
      const already = traced(rig.events).named("node a").events.length;
      const reminded = { approvalId: "apr", source: "gate", urgency: "normal", nodeId: "a" } as const;
      const more = Array.from({ length: count - already }, (_, index) => ({
        eventId: rig.events.length + index + 1,
        at: rig.now,
        type: "approval.reminded" as const,
        payload: reminded,
      }));
      const node = traced([...rig.events, ...more]).named("node a");
      expect([node.events.length, node.droppedEvents]).toEqual([
        Math.min(count, EVENTS_PER_SPAN_MAX),
        Math.max(0, count - EVENTS_PER_SPAN_MAX),
      ]);
    },
  );
});

describe("the spans of an agent's turn", () => {
  const SECRET = "never in a span";
  function turn(): Rig {
    const rig = new Rig("name: w\nsteps:\n  - { id: a, command: A, tools: [find] }\n", {
      judge: () => MODELLED,
    }).start();
    const round = (number: number, tools: readonly string[]) =>
      rig.submit({
        type: "round",
        nodeId: "a",
        attempt: 1,
        round: number,
        finish: tools.length === 0 ? "stop" : "tool_calls",
        text: SECRET,
        message: SECRET,
        calls: tools.map((tool) => ({ tool, server: "shop", args: { secret: SECRET } })),
        tokens: TOKENS,
        costMicros: 2_000,
        model: "gpt-x",
      });
    rig.now += 1_000;
    round(0, ["find", "pay"]);
    rig.now += 300;
    const report = { nodeId: "a", attempt: 1, durationMs: 250 };
    rig.submit({ type: "tool_result", ...report, callId: "run_1/a/0/0/0", result: SECRET, isError: false });
    rig.submit({ type: "tool_result", ...report, callId: "run_1/a/0/0/1", result: SECRET, isError: true });
    rig.now += 500;
    round(1, []);
    return rig.complete("a");
  }

  it("are its model calls and its tool calls, inside the attempt, which is the agent's", () => {
    const { spans, named, names } = traced(turn().events);
    expect(names).toEqual([
      "chat gpt-x",
      "execute_tool find",
      "execute_tool pay",
      "chat gpt-x",
      "invoke_agent writer",
      "node a",
      "invoke_workflow w",
    ]);
    const agent = named("invoke_agent writer");
    expect(spans.slice(0, 4).map(({ parentSpanId }) => parentSpanId)).toEqual(
      Array.from({ length: 4 }, () => agent.spanId),
    );
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(spans.slice(0, 4).map(({ startedAt, endedAt }) => (endedAt ?? 0) - startedAt)).toEqual([
      1_000, 250, 250, 500,
    ]);
    expect(Object.fromEntries(spans[0]?.attributes ?? [])).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "gpt-x",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 20,
      "sluice.cost.usd": 0.002,
      "sluice.turn.round": 0,
    });
    expect(Object.fromEntries(named("execute_tool find").attributes)).toMatchObject({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "find",
      "gen_ai.tool.call.id": "run_1/a/0/0/0",
      "gen_ai.tool.type": "function",
      "sluice.tool.server": "shop",
    });
    expect(named("execute_tool pay")).toMatchObject({ status: "error", kind: "internal" });
    expect(agent.attributes.get("gen_ai.operation.name")).toBe("invoke_agent");
    expect(agent.attributes.get("sluice.cost.usd")).toBe(0.004);
    expect(eventsOf(agent)).toEqual(["tool.decided", "tool.decided"]);
    const sent = JSON.stringify(spans, (_, value: unknown) => (value instanceof Map ? [...value] : value));
    expect(sent).not.toContain(SECRET);
  });
});
