import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi, ORG } from "../../../test/api/fixture.ts";
import { attributeOf, type CollectedSpan, type Collector, startCollector } from "../../../test/telemetry/collector.ts";
import { createSystemClock, type Clock } from "../../clock/index.ts";
import { attemptSpanId, writeTraceparent } from "../../core/trace/index.ts";
import { RETRY_DELAYS_MS } from "./sender.ts";
import { startTelemetry, type Telemetry, type TelemetryOptions } from "./telemetry.ts";

const MIXED = `name: mixed
args: { list: { type: array, default: [1, 2, 3] } }
steps:
  - { id: draft, command: Draft it, on_failure: retry, retry: { attempts: 3, backoff_ms: 0 } }
  - { id: each, command: "Look at \${item}", for_each: $list, depends_on: [draft] }
  - { id: publish, command: Publish it, depends_on: [each] }
  - { id: never, command: Never, depends_on: [publish], condition: "1 == 2" }
  - { id: broken, command: Break, depends_on: [publish] }
`;
const SCRIPT = `default: echo
nodes:
  mixed/draft: [{ fail: provider_error, cost_usd: 0.01 }, { stdout: a draft, tokens: { input: 10, output: 3 } }]
  mixed/broken: { fail: provider_auth }
`;
const POLICY = {
  category: "guardrail",
  condition: "node.id == 'publish'",
  action: "require_approval",
  reason: "people publish",
};

let api: Api;
let collector: Collector;
let telemetry: Telemetry | null = null;
const troubles: string[] = [];
beforeEach(async () => {
  troubles.length = 0;
  collector = await startCollector();
  api = await createApi({}, SCRIPT);
  await api.save(MIXED);
});
afterEach(async () => {
  await telemetry?.stop();
  telemetry = null;
  await api.close();
  await collector.close();
});

const QUIET = { lingerMs: 600_000, longRunMs: 600_000 };

function trace(more: Partial<TelemetryOptions> = {}): Telemetry {
  telemetry = startTelemetry({
    store: api.store,
    runtime: api.runtime,
    endpoint: collector.endpoint,
    headers: { "x-team": "blue" },
    resource: { attributes: new Map([["service.name", "sluice"]]), version: "0" },
    clock: createSystemClock(),
    onTrouble: (what, error) => troubles.push(`${what}: ${error instanceof Error ? error.message : ""}`),
    ...more,
    limits: { ...QUIET, ...more.limits },
  });
  return telemetry;
}

async function hold(): Promise<string> {
  const { status } = await api.request("PUT", "policies/ask-first", { body: POLICY });
  expect(status).toBeLessThan(300);
  return api.run("mixed");
}

async function approve(runId: string): Promise<void> {
  const { body } = await api.request("GET", "approvals?status=pending");
  for (const { id } of body.data) {
    await api.request("POST", `approvals/${id}/resolve`, { body: { decision: "approve", reason: "fine" } });
  }
  await api.settle(runId);
}

/** The spans a log must lead to, as `name start end` without the times of those that share one. */
async function expectSpansOf(runId: string, spans: readonly CollectedSpan[]): Promise<void> {
  const run = await api.store.getRun(ORG, runId);
  const events = await api.store.readEvents(ORG, runId, 0, 10_000);
  const mine = spans.filter(({ traceId }) => traceId === run?.traceId);
  const byId = new Map(mine.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(mine.length);
  const attempts = events.filter(({ type }) => type === "node.started");
  const settled = events.filter(({ type }) => /^node\.(?:completed|failed|timed_out|skipped|cancelled)$/.test(type));
  expect(mine.length).toBe(1 + attempts.length + settled.length);
  for (const { payload, at } of attempts) {
    const { nodeId, attempt } = payload as { nodeId: string; attempt: number };
    const span = byId.get(attemptSpanId(`${runId}/${nodeId}/${attempt}`));
    expect(span?.startTimeUnixNano).toBe(`${at}000000`);
    expect(attributeOf(span ?? { attributes: [] }, "sluice.attempt")).toBe(String(attempt));
  }
  for (const { payload, at, type } of settled) {
    const { nodeId } = payload as { nodeId: string };
    const span = mine.find(({ name }) => name === `node ${nodeId}`);
    expect(span?.endTimeUnixNano).toBe(`${at}000000`);
    expect(attributeOf(span ?? { attributes: [] }, "sluice.node.status")).toBe(type.slice("node.".length));
  }
  const root = byId.get(run?.rootSpanId ?? "");
  expect(root?.parentSpanId).toBeUndefined();
  expect([root?.startTimeUnixNano, root?.endTimeUnixNano]).toEqual([`${events[0]?.at}000000`, `${run?.endedAt}000000`]);
  for (const span of mine) {
    if (span === root) continue;
    const parent = byId.get(span.parentSpanId ?? "");
    expect(parent, span.name).toBeDefined();
    expect(BigInt(span.startTimeUnixNano) >= BigInt(parent?.startTimeUnixNano ?? "9".repeat(19))).toBe(true);
    expect(BigInt(span.endTimeUnixNano) <= BigInt(parent?.endTimeUnixNano ?? "0")).toBe(true);
  }
}

describe("a collector", () => {
  it("gets a run as its log has it: retries, instances, a hold, a skip, a failure", async () => {
    const sent = trace();
    const runId = await hold();
    await approve(runId);
    await sent.flush();
    expect(collector.complaints).toEqual([]);
    await expectSpansOf(runId, collector.spans);
    const named = (name: string) => collector.spans.filter((span) => span.name === name);
    expect(named("node draft")[0]?.events.map(({ name }) => name)).toContain("node.retried");
    expect(named("node publish")[0]?.events.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["gate.decided", "approval.requested", "approval.resolved"]),
    );
    expect(attributeOf(named("node broken")[0] ?? { attributes: [] }, "error.type")).toBe("provider_auth");
    expect(named("node broken")[0]?.status.code).toBe(2);
    expect(["each[0]", "each[1]", "each[2]"].map((id) => named(`node ${id}`)[0]?.parentSpanId)).toEqual(
      Array(3).fill(named("node each")[0]?.spanId),
    );
    expect(sent.figures()).toMatchObject({ sentSpans: collector.spans.length, droppedSpans: 0, queuedSpans: 0 });
    expect(collector.requests[0]).toMatchObject({
      path: "/v1/traces",
      headers: { "content-type": "application/json", "x-team": "blue" },
    });
    expect(collector.resources[0]).toBe('[{"key":"service.name","value":{"stringValue":"sluice"}}]');
    expect(collector.requests.map(({ text }) => text).join()).not.toMatch(/a draft|Draft it|Publish|people publish/);
  });

  it("gets a long run while it is running, and each span once", async () => {
    const sent = trace();
    const runId = await hold();
    await sent.flush();
    const before = collector.spans.map(({ name }) => name);
    expect(before).toContain("node each");
    expect(before).not.toContain("node publish");
    expect(before).not.toContain("invoke_workflow mixed");
    await sent.flush();
    expect(collector.spans).toHaveLength(before.length);
    await approve(runId);
    await sent.flush();
    expect(collector.complaints).toEqual([]);
    await expectSpansOf(runId, collector.spans);
  });

  it("gets everything from the process that ends a run, although another process started it", async () => {
    const runId = await hold();
    const sent = trace();
    await approve(runId);
    await sent.flush();
    expect(collector.complaints).toEqual([]);
    await expectSpansOf(runId, collector.spans);
  });

  it("gets a run that is opened again from there on", async () => {
    const sent = trace();
    const runId = await api.run("mixed");
    await sent.flush();
    const before = collector.spans.length;
    expect((await api.request("POST", `runs/${runId}/recover`, { body: {} })).status).toBeLessThan(300);
    await api.settle(runId);
    await sent.flush();
    expect(collector.complaints).toEqual([]);
    const again = collector.spans.slice(before);
    const root = again.find(({ name }) => name === "invoke_workflow mixed");
    expect(root?.links.map(({ spanId }) => spanId)).toEqual([
      collector.spans.find(({ name }) => name === "invoke_workflow mixed")?.spanId,
    ]);
    expect(again.map(({ name }) => name)).toContain("node broken");
    expect(again.map(({ name }) => name)).not.toContain("node draft");
  });

  it("gets it unasked, soon after a run has ended", async () => {
    trace({ clock: hasty([]), limits: { lingerMs: 20 } });
    await api.run("mixed");
    while (!collector.spans.some(({ name }) => name === "invoke_workflow mixed")) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(collector.complaints).toEqual([]);
  });

  it("finds a child run below the attempt that started it", async () => {
    const parent = { runId: "run_above", traceId: "c".repeat(32) };
    const store: TelemetryOptions["store"] = {
      loadRuns: async (runIds) =>
        (await api.store.loadRuns(runIds)).map(({ run, ...rest }) => ({
          ...rest,
          run: {
            ...run,
            traceId: parent.traceId,
            parentRunId: parent.runId,
            parentNode: "call",
            parentAttempt: 2,
          },
        })),
      getRun: async (orgId, runId) => {
        const [found] = (await api.store.listRuns(orgId, {}, { limit: 1, cursor: null })).data;
        return runId === parent.runId && found !== undefined ? { ...found, ...parent } : undefined;
      },
    };
    const sent = trace({ store });
    await api.run("mixed");
    await sent.flush();
    const root = collector.spans.find(({ name }) => name === "invoke_workflow mixed");
    expect(root?.parentSpanId).toBe(attemptSpanId("run_above/call/2"));
    expect(collector.complaints).toEqual([]);
  });

  it("finds a run below the span of its caller", async () => {
    const caller = { traceId: "d".repeat(32), spanId: "e".repeat(16) };
    const sent = trace();
    const { body } = await api.request("POST", "runs", {
      body: { workflow: "mixed" },
      headers: { traceparent: writeTraceparent(caller) },
    });
    await api.settle(body.id);
    await sent.flush();
    const root = collector.spans.find(({ name }) => name === "invoke_workflow mixed");
    expect([root?.traceId, root?.parentSpanId]).toEqual([caller.traceId, caller.spanId]);
    expect(collector.complaints).toEqual([]);
  });

  it("gets what is left when the process stops", async () => {
    const sent = trace();
    await hold();
    await sent.stop();
    telemetry = null;
    expect(collector.spans.map(({ name }) => name)).toContain("node each");
    expect(troubles).toEqual([]);
    await api.run("mixed");
    expect(collector.spans.map(({ name }) => name)).not.toContain("invoke_workflow mixed");
  });

  it("gets many requests when there is much to send, none too large", async () => {
    const sent = trace({ limits: { spansPerRequest: 4 } });
    await Promise.all(Array.from({ length: 5 }, () => api.run("mixed")));
    await sent.flush();
    expect(collector.complaints).toEqual([]);
    expect(collector.requests.length).toBe(Math.ceil(collector.spans.length / 4));
    expect(collector.spans.filter(({ name }) => name === "invoke_workflow mixed")).toHaveLength(5);
  });
});

/** Time in which every wait is over at once, and written down. */
function hasty(delays: number[]): Clock {
  const system = createSystemClock();
  return {
    now: () => system.now(),
    after: (delayMs, fire) => {
      if (delayMs >= QUIET.lingerMs) return () => undefined;
      delays.push(delayMs);
      return system.after(0, fire);
    },
  };
}

describe("a collector in trouble", () => {
  it.each([429, 502, 503, 504])("that answers %i is asked again, and gets everything", async (status) => {
    const delays: number[] = [];
    const sent = trace({ clock: hasty(delays) });
    collector.replies.push({ status }, { status, headers: { "retry-after": "7" } });
    await api.run("mixed");
    await sent.flush();
    expect(collector.complaints).toEqual([]);
    expect(delays).toEqual([RETRY_DELAYS_MS[0], 7_000]);
    expect(collector.spans.length).toBe(sent.figures().sentSpans);
    expect(troubles).toHaveLength(1);
    expect(sent.figures()).toMatchObject({ failedRequests: 2, droppedSpans: 0 });
  });

  it("that stays away is given up after a few tries, and the spans are counted", async () => {
    const delays: number[] = [];
    const sent = trace({ clock: hasty(delays) });
    collector.replies.push(...Array.from({ length: 6 }, () => ({ status: 503 })));
    await api.run("mixed");
    await sent.flush();
    expect(delays).toEqual([...RETRY_DELAYS_MS]);
    expect(sent.figures()).toMatchObject({ sentSpans: 0, queuedSpans: 0, failedRequests: 6 });
    expect(sent.figures().droppedSpans).toBeGreaterThan(5);
    await api.run("mixed");
    await sent.flush();
    expect(collector.spans.map(({ name }) => name)).toContain("invoke_workflow mixed");
    expect(troubles).toEqual(["the collector does not take the spans: it answers 503: "]);
  });

  it.each([400, 401, 404, 500])("that answers %i is not asked the same again", async (status) => {
    const sent = trace();
    collector.replies.push({ status, body: "no such tenant" });
    await api.run("mixed");
    await sent.flush();
    expect(collector.requests).toHaveLength(1);
    expect(sent.figures().droppedSpans).toBeGreaterThan(5);
    expect(troubles).toEqual([`the collector does not take the spans: it answers ${status}: no such tenant`]);
  });

  it("that refuses some of the spans is believed", async () => {
    const sent = trace();
    collector.replies.push({ status: 200, body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"old"}}' });
    await api.run("mixed");
    await sent.flush();
    expect(sent.figures()).toMatchObject({ droppedSpans: 2, sentSpans: collector.spans.length - 2 });
    expect(troubles).toEqual(["the collector refuses spans: 2 of them were rejected"]);
  });

  it("that is too slow costs the oldest spans, and never the run", async () => {
    const sent = trace({ limits: { queuedSpansMax: 5 } });
    await api.run("mixed");
    await sent.flush();
    expect(collector.spans).toHaveLength(5);
    expect(collector.spans.map(({ name }) => name)).toContain("invoke_workflow mixed");
    expect(sent.figures()).toMatchObject({ sentSpans: 5 });
    expect(sent.figures().droppedSpans).toBeGreaterThan(0);
  });

  it("that never answers does not hold up the end", async () => {
    const sent = trace({ clock: hasty([]) });
    collector.replies.push("hang");
    await api.run("mixed");
    await sent.stop();
    telemetry = null;
    expect(troubles.at(-1)).toMatch(/^not all spans were sent before the end: \d+ were left$/);
  });

  it.each([1, 2, 3])("gets at most so many runs at a time: 2 of %i", async (count) => {
    const sent = trace({ limits: { watchedRunsMax: 2 } });
    for (let run = 0; run < count; run += 1) await api.run("mixed");
    await sent.flush();
    const roots = collector.spans.filter(({ name }) => name === "invoke_workflow mixed");
    expect([roots.length, sent.figures().droppedRuns]).toEqual([Math.min(count, 2), Math.max(0, count - 2)]);
  });

  it("gets it later when the database is away", async () => {
    let isAway = true;
    const delays: number[] = [];
    const store: TelemetryOptions["store"] = {
      getRun: (orgId, runId) => api.store.getRun(orgId, runId),
      loadRuns: (runIds) => (isAway ? Promise.reject(new Error("no database")) : api.store.loadRuns(runIds)),
    };
    const sent = trace({ store, clock: { ...hasty(delays), after: (ms) => (delays.push(ms), () => undefined) } });
    await api.run("mixed");
    await sent.flush();
    expect(troubles).toEqual(["the runs to be traced cannot be read: no database"]);
    isAway = false;
    await sent.flush();
    expect(collector.spans.map(({ name }) => name)).toContain("invoke_workflow mixed");
  });
});
