import { describe, expect, it } from "vitest";
import { nodeStarted } from "../../../../test/own/node-started.ts";
import type { EventPayload, EventType, RunEvent } from "../../../core/event/index.ts";
import { createView, frameEvent, reduceRun } from "../../../core/view/index.ts";
import { detailAt, readDetail } from "./node-detail.ts";
import { causesOf } from "./causes.ts";
import { EventGroups } from "./event-groups.ts";
import { isWanted } from "./event-filter.ts";
import { linesOf } from "./event-lines.ts";
import { lookOfEvent } from "./event-text.ts";
import { pinBlocks } from "./open-block.ts";
import { RunFeed } from "./run-feed.ts";

type EventSpec = { [T in EventType]: readonly [type: T, payload: EventPayload<T>] }[EventType];

const logOf = (...specs: readonly EventSpec[]): RunEvent[] =>
  specs.map(([type, payload], index) => ({ eventId: index + 1, at: index * 100, type, payload }) as RunEvent);

const NO_TOKENS = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
const spend = (nodeId: string, attempt: number, inputTokens: number): EventSpec => [
  "cost.recorded",
  { nodeId, attempt, costMicros: 5, tokens: { ...NO_TOKENS, inputTokens }, model: "m-1" },
];
const retry = (nodeId: string, attempt: number): EventSpec => [
  "node.retried",
  {
    nodeId,
    attempt,
    cause: "provider_error",
    delayMs: 30,
    nextAttempt: attempt + 1,
    errorCode: "provider_error",
    errorMessage: "no",
    until: 900,
  },
];
const done = (nodeId: string, attempt: number): EventSpec => [
  "node.completed",
  {
    nodeId,
    attempt,
    envelope: { kind: "text", artifactKind: "text", output: "ok" },
    outputs: {},
    durationMs: 10,
    inputTokens: 1,
    outputTokens: 2,
    costMicros: 5,
  },
];
const fail = (nodeId: string, errorCode: string): EventSpec => [
  "node.failed",
  { nodeId, errorCode, errorMessage: "no", retryable: false },
];
const queue = (nodeId: string, attempt?: number): EventSpec => [
  "node.queued",
  { nodeId, waitingReason: "queued", ...(attempt === undefined ? {} : { attempt }) },
];
const BEGUN: EventSpec = [
  "run.started",
  { workflow: "w", version: 1, hash: "h", args: {}, nodeCount: 2, trigger: "manual", recursionDepth: 0 },
];
const OUTLINE = { nodes: ["a", "b", "c"].map((id, wave) => ({ id, label: id, wave })) };

/** One node in two attempts, then another. The second `node.queued` names the attempt before it, as the engine does. */
const STORY = logOf(
  BEGUN,
  queue("a"),
  nodeStarted("a", 1),
  spend("a", 1, 10),
  retry("a", 1),
  queue("a", 1),
  nodeStarted("a", 2),
  spend("a", 2, 20),
  done("a", 2),
  queue("b"),
  nodeStarted("b", 1),
  spend("b", 1, 40),
  done("b", 1),
);

function feedOf(events: readonly RunEvent[]): RunFeed {
  let now = 0;
  const pace = { nextFrame: (run: () => void) => run(), now: () => (now += 1) };
  const feed = new RunFeed({ outline: OUTLINE, view: createView(OUTLINE) }, pace);
  feed.take(framesOf(events));
  return feed;
}

function framesOf(events: readonly RunEvent[]): ReturnType<typeof frameEvent>[] {
  return events.map((event) => frameEvent(event, { runId: "run_1", workflowId: "w", traceId: "t" }));
}

describe("a run at an earlier event", () => {
  it("has the clock, tokens and bars of that event", () => {
    const feed = feedOf(STORY);
    expect([feed.shownAt(), feed.facts.sums.run.inputTokens]).toEqual([null, 70]);
    feed.pin(7);
    expect(feed.shownAt()).toBe(600);
    expect(feed.facts.sums.run.inputTokens).toBe(10);
    expect(feed.facts.timeline.spansOf("a").at(-1)).toMatchObject({ kind: "execution", attempt: 2, to: null });
    expect(feed.facts.timeline.spansOf("b")).toEqual([]);
    feed.pin(null);
    expect(feed.facts).toBe(feed.log);
  });

  it("of a block is shown once the block is open and its events have been read", () => {
    const shown = ({ shown: { nodes } }: RunFeed) => ["a", "b"].map((id) => nodes.get(id)?.status);
    const [first, second] = [feedOf(STORY), feedOf([])];
    pinBlocks([{ feed: first }], 600);
    expect(shown(first)).toEqual(["running", "pending"]);
    pinBlocks([{ feed: second }], 600);
    expect(shown(second)).toEqual(["pending", "pending"]);
    second.take(framesOf(STORY));
    pinBlocks([{ feed: second }], 600);
    expect(shown(second)).toEqual(["running", "pending"]);
    pinBlocks([{ feed: second }], null);
    expect(shown(second)).toEqual(["completed", "completed"]);
  });

  it("has the same facts whichever way it was come to", () => {
    const [forth, back] = [feedOf(STORY), feedOf(STORY)];
    for (const at of [3, 5, 9]) forth.pin(at);
    for (const at of [13, 9]) {
      back.pin(at);
      expect(back.facts.sums.run.inputTokens).toBe(at === 13 ? 70 : 30);
    }
    expect(forth.facts.sums).toEqual(back.facts.sums);
    expect(forth.facts.timeline.spansOf("a")).toEqual(back.facts.timeline.spansOf("a"));
    expect(forth.facts.groups.groups).toEqual(back.facts.groups.groups);
  });

  it("lists its events as they stood: what had not ended is not shown as ended", () => {
    const feed = feedOf(STORY);
    feed.pin(7);
    const { events, frames } = feed.log;
    const all = { kind: "all", text: "", nodeId: null } as const;
    const lines = linesOf({ events, frames, groups: feed.facts.groups }, "compact", all, 7);
    expect(lines.between(0, 9).map(({ event }) => event.type)).toEqual(["run.started", "node.retried", "node.started"]);
  });

  it("shows of attempts only what had happened", () => {
    const attempt = {
      attempt: 1,
      status: "failed",
      startedAt: "2026-01-01T00:00:00Z",
      endedAt: "2026-01-01T00:00:01Z",
      durationMs: 1_000,
      verdictId: "v1",
      route: { agentId: null, gatewayId: null, provider: null, model: null, executionPath: null },
      request: { message: "one", stdin: null, inputs: {} },
      outputs: null,
      output: null,
      errorCode: "provider_error",
      errorMessage: "no",
      costMicros: 5,
      inputTokens: 10,
      outputTokens: 0,
      streamedText: "",
      logs: [{ eventId: 4, level: "info", message: "early" }],
    } as const;
    const second = { ...attempt, attempt: 2, status: "completed", errorCode: null, output: "ok" } as const;
    const verdict = { verdictId: "v1", disposition: "allow", gate: null, code: null, explanation: null } as const;
    const specs = {
      runId: "run_1",
      node: {},
      request: { attempt: 2, message: "two", stdin: null, inputs: {} },
      attempts: [attempt, { ...second, logs: [{ eventId: 9, level: "info", message: "late" }] }],
      verdicts: [
        { ...verdict, eventId: 3 },
        { ...verdict, eventId: 7, verdictId: "v2" },
        { ...verdict, eventId: 11, verdictId: "v3" },
      ],
      inputs: [],
    };
    const detail = readDetail(specs as unknown as Parameters<typeof readDetail>[0]);
    const nodeAt = (eventId: number) => {
      const node = reduceRun(STORY.slice(0, eventId), OUTLINE).nodes.get("a");
      if (node === undefined) throw new Error("a is a node");
      return node;
    };
    const during = detailAt(detail, nodeAt(8), 8);
    expect(during.attempts.map(({ attempt: number, status, output }) => [number, status, output])).toEqual([
      [1, "failed", null],
      [2, "running", null],
    ]);
    expect(during.attempts.flatMap(({ logs }) => logs.map(({ message }) => message))).toEqual(["early"]);
    expect(during.verdicts.map(({ eventId }) => eventId)).toEqual([3, 7]);
    const before = detailAt(detail, nodeAt(2), 2);
    expect([before.attempts, before.verdicts, before.request]).toEqual([[], [], null]);
    expect(detailAt(detail, nodeAt(4), 4).request).toMatchObject({ attempt: 1, message: "one" });
  });
});

describe("attempts in the event log", () => {
  it("have the numbers the node has", () => {
    const groups = new EventGroups();
    for (const event of STORY) groups.take(event);
    expect(groups.groups.map(({ nodeId, attempt }) => [nodeId, attempt])).toEqual([
      [null, null],
      ["a", 1],
      ["a", 2],
      ["b", 1],
    ]);
    expect(reduceRun(STORY, OUTLINE).nodes.get("a")?.attempts).toBe(2);
  });
});

describe("one failure", () => {
  const events = logOf(
    BEGUN,
    nodeStarted("a", 1),
    fail("a", "provider_auth"),
    fail("b", "upstream_failure"),
    fail("c", "upstream_failure"),
  );
  const view = reduceRun(events, OUTLINE);
  const nodes = [
    { id: "a", parents: [] },
    { id: "b", parents: ["a"] },
    { id: "c", parents: ["b"] },
  ];

  it("is one, and what did not run because of it is counted apart", () => {
    expect([view.counts.failed, view.upstreamFailures]).toEqual([3, 2]);
    expect(events.map(lookOfEvent).filter(({ tone }) => tone === "bad")).toHaveLength(1);
    const problems = { kind: "problems", nodeId: null, text: "" } as const;
    expect(events.filter((event) => isWanted(event, problems)).map(({ eventId }) => eventId)).toEqual([3]);
  });

  it("is what everything below it leads back to", () => {
    const viewOf = (id: string) => view.nodes.get(id);
    expect(causesOf("c", nodes, viewOf)).toEqual(["a"]);
    expect(causesOf("b", nodes, viewOf)).toEqual(["a"]);
    expect(causesOf("a", nodes, viewOf)).toEqual([]);
  });
});
