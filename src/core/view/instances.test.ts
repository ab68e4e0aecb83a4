import { describe, expect, it } from "vitest";
import type { EventOf, EventType, RunEvent } from "../event/index.ts";
import { projectView } from "./projection.ts";
import { applyToView, reduceRun } from "./reduce.ts";
import { createView } from "./run-view.ts";

type Entry = { [T in EventType]: readonly [T, EventOf<T>["payload"]] }[EventType];

const logOf = (...entries: readonly Entry[]): RunEvent[] =>
  entries.map(([type, payload], index) => ({ eventId: index + 1, at: index, type, payload }) as RunEvent);

const envelope = { kind: "text", artifactKind: "text", output: "ok" };
const nothing = { durationMs: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 };
const done = (nodeId: string, carried?: true): Entry => [
  "node.completed",
  { nodeId, envelope, outputs: {}, ...nothing, ...(carried === undefined ? {} : { carried }) },
];
const failed = (nodeId: string): Entry => [
  "node.failed",
  { nodeId, errorCode: "provider_error", errorMessage: "no", retryable: false },
];
const expanded: Entry = [
  "node.expanded",
  { nodeId: "a", count: 3, instanceIds: ["a[0]", "a[1]", "a[2]"], items: [1, 2, 3] },
];
const invalidated = (nodeId: string): Entry => ["node.invalidated", { nodeId, reason: "rewound" }];

describe("failures of instances", () => {
  it("are counted by their node, which may well have completed", () => {
    const view = reduceRun(logOf(expanded, done("a[0]"), failed("a[1]"), failed("a[2]"), done("a")));
    expect(view.nodes.get("a")).toMatchObject({ status: "completed", failedInstances: 2 });
    expect(view.nodes.get("a[1]")).toMatchObject({ failedInstances: 0 });
  });

  it("go when the instances run again", () => {
    const events = logOf(
      expanded,
      done("a[0]"),
      failed("a[1]"),
      failed("a[2]"),
      failed("a"),
      invalidated("a[1]"),
      invalidated("a"),
      expanded,
      done("a[1]"),
      done("a[2]"),
      done("a"),
    );
    const view = createView();
    const counts = events.map((event) => applyToView(view, event).nodes.get("a")?.failedInstances);
    expect(counts).toEqual([0, 0, 1, 2, 2, 1, 1, 0, 0, 0, 0]);
  });
});

describe("what stays of a node", () => {
  it("is that its result was carried over, also for an instance", () => {
    const view = reduceRun(logOf(done("z", true), done("a[0]", true), expanded, done("a[1]")));
    const carried = [...view.nodes.values()].filter(({ isCarried }) => isCarried).map(({ id }) => id);
    expect(carried).toEqual(["z", "a[0]"]);
  });

  it("is the child run it started, and the model that was called", () => {
    const route = { agentId: null, gatewayId: null, provider: "p", model: null, verdictId: "v", executionPath: null };
    const tokens = { inputTokens: 1, outputTokens: 1, thinkingTokens: 0, cachedTokens: 0 };
    const view = reduceRun(
      logOf(
        ["node.started", { nodeId: "a", attempt: 1, wave: 0, ...route }],
        ["child.started", { nodeId: "a", childRunId: "run_2", workflow: "w" }],
        ["cost.recorded", { nodeId: "a", attempt: 1, costMicros: 1, tokens, model: "m-1" }],
        failed("a"),
      ),
    );
    expect(view.nodes.get("a")).toMatchObject({ status: "failed", childRunId: "run_2", model: "m-1" });
  });
});

describe("a run that waits for a person", () => {
  it("is one in which nothing else moves", () => {
    const blocked: Entry = ["node.blocked", { nodeId: "a[0]", waitingReason: "human_input" }];
    const queued: Entry = ["node.queued", { nodeId: "b", waitingReason: "queued" }];
    const isPaused = (...entries: readonly Entry[]) =>
      projectView(reduceRun(logOf(...entries)), { runId: "r", workflowId: "w" }).isPaused;
    expect(isPaused(expanded, blocked, done("a[1]"), done("a[2]"))).toBe(true);
    expect(isPaused(expanded, blocked, queued)).toBe(false);
    expect(isPaused(expanded)).toBe(false);
  });
});
