import { describe, expect, it } from "vitest";
import { readExposition } from "../../test/telemetry/exposition.ts";
import { NO_TOKENS } from "../core/engine/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { HISTOGRAM_SETS_MAX, LABEL_LENGTH_MAX, LABEL_SETS_MAX, MetricSeries } from "./metric-series.ts";
import { BACKLOG_MS, BEGINNINGS_MAX, Metrics } from "./metrics.ts";

let eventId = 0;
const at = (ms: number, type: RunEvent["type"], payload: object): RunEvent =>
  ({ eventId: (eventId += 1), at: ms, type, payload }) as unknown as RunEvent;
const ROUTE = {
  wave: 0,
  agentId: "a",
  gatewayId: null,
  provider: "p",
  model: null,
  verdictId: null,
  executionPath: null,
};

function read(metrics: { print(): string }, name: string) {
  const samples = readExposition(metrics.print()).get(name)?.samples ?? [];
  return samples.map(({ name: full, labels, value }) => [full.slice(name.length), labels, value]);
}

describe("series", () => {
  it("print what can be read back, whatever a label holds", () => {
    const series = new MetricSeries();
    const nasty = 'a "quoted" \\ back\nslash } {x="1"}';
    series.count("sluice_x_total", "Help with \\ and\nbreak.", { nasty });
    series.count("sluice_x_total", "Help.", { nasty }, 2);
    expect(read(series, "sluice_x_total")).toEqual([["", { nasty }, 3]]);
  });

  it("put values into the bucket whose limit they do not pass", () => {
    const series = new MetricSeries();
    for (const value of [0, 0.999, 1, 1.001, 10, 10.1, NaN, Infinity]) series.observe("sluice_h", "H.", [1, 10], value);
    expect(read(series, "sluice_h")).toEqual([
      ["_bucket", { le: "1" }, 3],
      ["_bucket", { le: "10" }, 5],
      ["_bucket", { le: "+Inf" }, 6],
      ["_sum", {}, 0 + 0.999 + 1 + 1.001 + 10 + 10.1],
      ["_count", {}, 6],
    ]);
  });

  it.each([LABEL_LENGTH_MAX - 1, LABEL_LENGTH_MAX, LABEL_LENGTH_MAX + 1])("print so much of a label: %i", (length) => {
    const series = new MetricSeries();
    series.count("sluice_z_total", "Z.", { model: "m".repeat(length) });
    expect(read(series, "sluice_z_total")).toEqual([
      ["", { model: "m".repeat(Math.min(length, LABEL_LENGTH_MAX)) }, 1],
    ]);
  });

  it.each([HISTOGRAM_SETS_MAX - 1, HISTOGRAM_SETS_MAX, HISTOGRAM_SETS_MAX + 1])(
    "hold fewer histograms: %i",
    (count) => {
      const series = new MetricSeries();
      for (let index = 0; index < count; index += 1) series.observe("sluice_h", "H.", [1], 1, { model: `m${index}` });
      const counts = read(series, "sluice_h").filter(([end]) => end === "_count");
      expect(counts).toHaveLength(count);
      expect(JSON.stringify(counts.at(-1))).toContain(count > HISTOGRAM_SETS_MAX ? '"other"' : `"m${count - 1}"`);
    },
  );

  it.each([LABEL_SETS_MAX - 1, LABEL_SETS_MAX, LABEL_SETS_MAX + 1, LABEL_SETS_MAX + 50])(
    "hold so many sets of labels, and count the rest together: %i",
    (count) => {
      const series = new MetricSeries();
      for (let index = 0; index < count; index += 1) series.count("sluice_y_total", "Y.", { model: `m${index}` });
      const found = read(series, "sluice_y_total");
      const excess = Math.max(0, count - LABEL_SETS_MAX);
      expect(found).toHaveLength(Math.min(count, LABEL_SETS_MAX) + (excess > 0 ? 1 : 0));
      expect(found.find(([, labels]) => JSON.stringify(labels) === '{"model":"other"}')?.[2] ?? 0).toBe(excess);
      series.count("sluice_y_total", "Y.", { model: "m0" });
      expect(read(series, "sluice_y_total")[0]?.[2]).toBe(2);
    },
  );
});

describe("the figures of events", () => {
  it("count how nodes waited, ran, retried and ended", () => {
    const metrics = new Metrics();
    const a = { nodeId: "a" };
    metrics.countEvents("run_1", [
      at(1_000, "node.queued", { ...a, waitingReason: "queued" }),
      at(3_000, "node.started", { ...a, attempt: 1, ...ROUTE }),
      at(4_000, "node.retried", { ...a, cause: "timeout" }),
      at(9_000, "node.queued", { ...a, waitingReason: "queued" }),
      at(9_000, "node.started", { ...a, attempt: 2, ...ROUTE }),
      at(10_000, "node.completed", a),
      at(10_000, "node.skipped", { nodeId: "b", reason: "condition_false" }),
    ]);
    const find = (name: string, suffix: string) => read(metrics, name).filter(([end]) => end === suffix);
    expect(find("sluice_node_wait_seconds", "_sum")).toEqual([["_sum", {}, 2]]);
    expect(find("sluice_node_wait_seconds", "_count")).toEqual([["_count", {}, 2]]);
    expect(find("sluice_node_duration_seconds", "_sum")).toEqual([["_sum", { status: "completed" }, 7]]);
    expect(read(metrics, "sluice_node_retries_total")).toEqual([["", { cause: "timeout" }, 1]]);
    expect(read(metrics, "sluice_nodes_total")).toEqual([
      ["", { status: "completed" }, 1],
      ["", { status: "skipped" }, 1],
    ]);
  });

  it("count tokens and money once, also when a child spent them", () => {
    const metrics = new Metrics();
    const tokens = { ...NO_TOKENS, inputTokens: 100, outputTokens: 7 };
    const cost = { nodeId: "a", attempt: 1, costMicros: 2_500_000, tokens };
    metrics.countEvents("run_1", [
      at(1, "cost.recorded", { ...cost, model: "m-1" }),
      at(1, "cost.recorded", { ...cost, childRunId: "run_2" }),
    ]);
    expect(read(metrics, "sluice_cost_usd_total")).toEqual([["", {}, 2.5]]);
    const sums = read(metrics, "sluice_gen_ai_client_token_usage").filter(([end]) => end === "_sum");
    expect(sums).toEqual([
      ["_sum", { gen_ai_token_type: "input", gen_ai_response_model: "m-1" }, 100],
      ["_sum", { gen_ai_token_type: "output", gen_ai_response_model: "m-1" }, 7],
    ]);
  });

  it("remember only so many beginnings", () => {
    const metrics = new Metrics();
    const begin = (index: number) => at(0, "node.started", { nodeId: `n${index}`, attempt: 1, ...ROUTE });
    metrics.countEvents(
      "run_1",
      Array.from({ length: BEGINNINGS_MAX + 1 }, (_, index) => begin(index)),
    );
    metrics.countEvents("run_1", [at(1_000, "node.completed", { nodeId: "n0" })]);
    metrics.countEvents("run_1", [at(1_000, "node.completed", { nodeId: "n1" })]);
    const counts = read(metrics, "sluice_node_duration_seconds").filter(([end]) => end === "_count");
    expect(counts).toEqual([["_count", { status: "completed" }, 1]]);
  });
});

describe("the backlog", () => {
  const waitingRuns = { person: 1, event: 0, timer: 0, gate: 0 };
  const backlog = {
    openRuns: 1,
    waitingRuns,
    openAttempts: 2,
    pendingApprovals: 3,
    pendingDeliveries: 4,
    lagMs: 5_500,
  };

  it("is asked for once in a while, and an unreachable database is a figure too", async () => {
    const metrics = new Metrics();
    let asked = 0;
    const ask = (now: number, isAway = false) =>
      metrics.refreshBacklog(async () => {
        asked += 1;
        if (isAway) throw new Error("away");
        return backlog;
      }, now);
    await ask(1_000);
    await ask(1_000 + BACKLOG_MS - 1);
    expect(asked).toBe(1);
    expect(read(metrics, "sluice_queue_lag_seconds")).toEqual([["", {}, 5.5]]);
    expect(read(metrics, "sluice_pending_approvals")).toEqual([["", {}, 3]]);
    expect(read(metrics, "sluice_database_up")).toEqual([["", {}, 1]]);
    await ask(1_000 + BACKLOG_MS, true);
    expect(asked).toBe(2);
    expect(read(metrics, "sluice_database_up")).toEqual([["", {}, 0]]);
  });
});
