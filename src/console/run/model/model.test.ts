import { describe, expect, it } from "vitest";
import { nodeStarted } from "../../../../test/own/node-started.ts";
import type { Frame, State, LineageView } from "../../../client/index.ts";
import { EVENT_TYPES, type EventPayload, type EventType, type RunEvent } from "../../../core/event/index.ts";
import { DISPATCH_GATES } from "../../../core/governance/index.ts";
import { applyToView, createView, frameEvent, projectView, reduceRun } from "../../../core/view/index.ts";
import type { GraphNode } from "../../graph/graph-node.ts";
import { commandsFor, quoted } from "./commands.ts";
import { EventGroups } from "./event-groups.ts";
import { detailOf, EVENT_LOOKS, oneLine } from "./event-text.ts";
import { GATE_QUESTIONS } from "../../parts/gate-questions.ts";
import { GATE_ORDER, gateCells } from "./gate-strip.ts";
import { lineageLines } from "./lineage-list.ts";
import { linesOf } from "./event-lines.ts";
import { type NodeRow, NodeRows } from "./node-rows.ts";
import { RunFeed, startOfState } from "./run-feed.ts";
import { RunLog } from "./run-log.ts";
import { outlineOfState, viewOfState } from "./state-view.ts";
import { Sums } from "./sums.ts";
import { Timeline, totalsOf } from "./timeline.ts";
import { timelineRows } from "./timeline-rows.ts";
import { ViewHistory } from "./view-history.ts";
import { listed, waitingOf, waitNoteOf } from "./waiting.ts";

type EventSpec = { [T in EventType]: readonly [type: T, payload: EventPayload<T>, at?: number] }[EventType];

/** A log with ids; default: ten milliseconds between its events. */
function logOf(...calls: readonly EventSpec[]): RunEvent[] {
  return calls.map(
    ([type, payload, at], index) => ({ eventId: index + 1, at: at ?? index * 10, type, payload }) as RunEvent,
  );
}

const framed = (events: readonly RunEvent[]): Frame[] =>
  events.map((event) => frameEvent(event, { runId: "run_1", workflowId: "w", traceId: "t" }));

const STARTED = [
  "run.started",
  { workflow: "w", version: 1, hash: "h", args: {}, nodeCount: 2, trigger: "manual", recursionDepth: 0 },
] as const;
const start = (nodeId: string, attempt: number) => nodeStarted(nodeId, attempt, "m");
const done = (nodeId: string, attempt: number) =>
  [
    "node.completed",
    {
      nodeId,
      attempt,
      envelope: { kind: "text", artifactKind: "text", output: "ok" },
      outputs: { text: "ok" },
      durationMs: 10,
      inputTokens: 1,
      outputTokens: 2,
      costMicros: 5,
    },
  ] as const;
const cost = (nodeId: string, costMicros: number, model: string | null) =>
  [
    "cost.recorded",
    {
      nodeId,
      attempt: 1,
      costMicros,
      tokens: { inputTokens: 3, outputTokens: 4, thinkingTokens: 1, cachedTokens: 2 },
      model,
    },
  ] as const;
const queued = (nodeId: string) => ["node.queued", { nodeId, waitingReason: "queued" }] as const;
const allowed = (nodeId: string) => ["gate.decided", { nodeId, disposition: "allow", verdictId: "v" }] as const;
const OUTLINE = {
  nodes: [
    { id: "a", label: "A", wave: 0 },
    { id: "b", label: "B", wave: 1 },
  ],
};

const STORY = logOf(
  STARTED,
  queued("a"),
  allowed("a"),
  start("a", 1),
  ["node.stream.delta", { nodeId: "a", attempt: 1, deltaIndex: 0, text: "hel" }],
  cost("a", 7, "m"),
  [
    "node.retried",
    {
      nodeId: "a",
      attempt: 1,
      cause: "provider",
      delayMs: 30,
      nextAttempt: 2,
      errorCode: "provider_error",
      errorMessage: "no",
      until: 90,
    },
  ],
  start("a", 2),
  cost("a", 3, null),
  done("a", 2),
  queued("b"),
  ["gate.decided", { nodeId: "b", disposition: "hold", gate: "approval_required", verdictId: "v2" }],
  ["node.blocked", { nodeId: "b", waitingReason: "human_input", approvalId: "ap_1" }],
  [
    "approval.requested",
    {
      nodeId: "b",
      approvalId: "ap_1",
      source: "policy",
      choices: ["approve", "reject"],
      epoch: 1,
      digest: "d",
      summary: "May b act?",
      rendered: "do it",
      agentId: null,
      policies: ["p@1"],
      approvers: [{ who: "user:ada", withinMs: null }],
      otherwise: null,
      isSeparate: false,
      expiresAt: 5_000,
      hop: 0,
    },
  ],
);

describe("Timeline", () => {
  const timeline = new Timeline();
  for (const event of STORY) timeline.take(event);

  it("separates waiting, work and pauses, attempt by attempt", () => {
    expect(timeline.spansOf("a")).toEqual([
      { kind: "dependency", from: 0, to: 10, attempt: null, outcome: null },
      { kind: "gate", from: 10, to: 30, attempt: null, outcome: null },
      { kind: "execution", from: 30, to: 60, attempt: 1, outcome: "failed" },
      { kind: "backoff", from: 60, to: 70, attempt: null, outcome: null },
      { kind: "execution", from: 70, to: 90, attempt: 2, outcome: "completed" },
    ]);
    expect(timeline.spansOf("b").map(({ kind, to }) => [kind, to])).toEqual([
      ["dependency", 100],
      ["gate", 120],
      ["approval", null],
    ]);
    expect(timeline.spansOf("unknown")).toEqual([]);
  });

  it("draws a wait for a moment or an event as no approval", () => {
    const waits = new Timeline();
    const block = (waitingReason: "timer" | "event" | "human_input", nodeId: string, eventId: number): RunEvent => ({
      eventId,
      at: eventId,
      type: "node.blocked",
      payload: { nodeId, waitingReason },
    });
    for (const event of [block("timer", "a", 1), block("event", "b", 2), block("human_input", "c", 3)])
      waits.take(event);
    const kinds = ["a", "b", "c"].map((id) => waits.spansOf(id).map(({ kind }) => kind));
    expect(kinds).toEqual([["pause"], ["pause"], ["approval"]]);
  });

  it("sums what a node waited and worked, up to now for what goes on", () => {
    expect(totalsOf(timeline.spansOf("a"), 1_000)).toEqual({ waitedMs: 40, workedMs: 50 });
    expect(totalsOf(timeline.spansOf("b"), 1_000)).toEqual({ waitedMs: 1_000, workedMs: 0 });
  });

  it("keeps an attempt that waits for its callback, and shows nothing of a result that was carried over", () => {
    const other = new Timeline();
    const [, carried] = done("z", 0);
    for (const event of logOf(
      STARTED,
      queued("a"),
      start("a", 1),
      ["node.waiting", { nodeId: "a", attempt: 1, waitingReason: "external_callback" }],
      ["node.completed", { ...carried, carried: true }],
      ["node.cancelled", { nodeId: "a", attempt: 1, reason: "cancelled" }],
    )) {
      other.take(event);
    }
    expect(other.spansOf("a").map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ["dependency", null],
      ["gate", null],
      ["execution", "cancelled"],
    ]);
    expect(other.spansOf("z")).toEqual([]);
  });

  it("lists nodes as they began, together begun ones as people count, and what has yet to begin last", () => {
    const node = (id: string, wave: number, instances: readonly string[] = []): GraphNode => ({
      id,
      wave,
      instances,
      label: id,
      kind: "agent",
      phase: null,
      parents: [],
    });
    const nodes = [node("n1", 0), node("n10", 0), node("n2", 0), node("z", 1), node("b", 1, ["b[0]"]), node("a", 2)];
    const other = new Timeline();
    const ids = (open: readonly string[] = []): readonly string[] =>
      timelineRows(nodes, new Set(open), (id) => other.begunAt(id)).map(({ id }) => id);
    expect(ids()).toEqual(["n1", "n2", "n10", "b", "z", "a"]);
    expect(other.begunCount).toBe(0);
    for (const event of logOf(
      STARTED,
      queued("n1"),
      start("z", 1),
      ["node.skipped", { nodeId: "a", reason: "condition_false" }],
      start("n2", 1),
      start("z", 2),
    ))
      other.take(event);
    expect(ids(["b"])).toEqual(["z", "a", "n2", "n1", "n10", "b", "b[0]"]);
    expect(other.begunCount).toBe(3);
    const together = timelineRows(nodes, new Set(), () => 7).map(({ id }) => id);
    expect(together).toEqual(["n1", "n2", "n10", "b", "z", "a"]);
  });
});

describe("NodeRows", () => {
  it("keeps the lines of all nodes but those that changed in what is shown", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({ id: `n${index}`, label: `N${index}`, wave: 0 }));
    const view = createView({ nodes: many });
    const rows = new NodeRows();
    const take = (...rest: readonly EventSpec[]) => {
      for (const event of logOf(STARTED, ...rest).slice(view.lastEventId)) applyToView(view, event);
      return rows.of(view.nodes.values());
    };
    const differing = (before: readonly NodeRow[], after: readonly NodeRow[]): readonly string[] =>
      after.filter((row, index) => row !== before[index]).map(({ id }) => id);
    const first = take();
    const begun = take(queued("n7"), start("n7", 1));
    expect(differing(first, begun)).toEqual(["n7"]);
    const delta = (deltaIndex: number) =>
      ["node.stream.delta", { nodeId: "n7", attempt: 1, deltaIndex, text: "more" }] as const;
    const streaming = take(queued("n7"), start("n7", 1), delta(0));
    const later = take(queued("n7"), start("n7", 1), delta(0), delta(1));
    expect(view.nodes.get("n7")?.streamedText).toBe("moremore");
    expect(differing(streaming, later)).toEqual([]);
    const ended = take(queued("n7"), start("n7", 1), delta(0), delta(1), done("n7", 1));
    expect(differing(later, ended)).toEqual(["n7"]);
  });
});

describe("EventGroups", () => {
  it("groups an attempt from queue to end, and adds late facts to the ended group", () => {
    const groups = new EventGroups();
    for (const event of [...STORY, ...logOf(...Array.from({ length: 15 }, () => cost("a", 1, null))).slice(14)])
      groups.take(event);
    expect(
      groups.groups.map(({ id, nodeId, attempt, headline, eventIds }) => [
        id,
        nodeId,
        attempt,
        headline.type,
        eventIds.length,
      ]),
    ).toEqual([
      [1, null, null, "run.started", 1],
      [2, "a", 1, "node.retried", 6],
      [8, "a", 2, "node.completed", 4],
      [11, "b", null, "approval.requested", 4],
    ]);
    expect([groups.placeOf(7), groups.placeOf(15), groups.placeOf(14), groups.placeOf(99)]).toEqual([1, 2, 3, -1]);
  });
});

describe("a wait for other nodes", () => {
  it("belongs to the group of the node, and moves it nowhere", () => {
    const groups = new EventGroups();
    const waits = ["node.waiting", { nodeId: "b", waitingReason: "dependency" }] as const;
    for (const event of logOf(STARTED, waits, queued("a"), queued("b"))) groups.take(event);
    expect(groups.groups.map(({ id, nodeId, eventIds }) => [id, nodeId, eventIds])).toEqual([
      [1, null, [1]],
      [3, "a", [3]],
      [4, "b", [2, 4]],
    ]);
    expect(groups.placeOf(2)).toBe(2);
  });
});

describe("event texts", () => {
  it("has words for every event", () => {
    expect(Object.keys(EVENT_LOOKS).sort()).toEqual([...EVENT_TYPES].sort());
    expect(STORY.map(detailOf)).toEqual([
      "w v1, 2 nodes",
      "queued",
      "allow",
      "default · local · m",
      "hel",
      "$0.000007",
      "in 30ms · provider_error · no",
      "default · local · m",
      "$0.000003",
      "10ms · $0.000005",
      "queued",
      "hold · approval_required",
      "human input",
      "policy · May b act?",
    ]);
  });

  it("keeps a line a line, and short", () => {
    expect(oneLine("a\n\tb   c")).toBe("a b c");
    expect(oneLine("x".repeat(10_000))).toHaveLength(201);
  });
});

describe("waitingOf", () => {
  const log = new RunLog(OUTLINE);
  for (const frame of framed(STORY)) log.take(frame);
  const node = (id: string) => {
    const found = log.view.nodes.get(id);
    if (found === undefined) throw new Error(id);
    return found;
  };
  const about = { parents: [], instances: [], note: null, approval: null };

  it("names the person a hold waits for, and until when", () => {
    const approval = log.view.approvals.get("ap_1") ?? null;
    expect(waitingOf({ ...about, node: node("b"), approval })).toEqual({
      text: "Held: May b act?. Waits for user:ada. Expires",
      until: 5_000,
      needsPerson: true,
      nodeIds: [],
    });
  });

  it("names the parents that have not settled, and returns nothing for what has ended", () => {
    const waits = { ...node("b"), status: "awaiting_dependency" as const };
    expect(waitingOf({ ...about, node: waits, parents: [node("b"), node("a")] })).toMatchObject({
      text: "Waits for b",
      nodeIds: ["b"],
    });
    expect(waitingOf({ ...about, node: node("a") })).toBeNull();
  });

  it("shows place and reason in the queue, the pause before the next attempt, and what is missing", () => {
    const base = node("b");
    const note = { until: 77, queuePosition: 3, code: "agent_busy", nextAttempt: null };
    expect(waitingOf({ ...about, node: { ...base, status: "queued", waitingReason: "queued" }, note })).toMatchObject({
      text: "Waits because of agent busy, place 3 in line",
      until: 77,
    });
    expect(waitingOf({ ...about, node: { ...base, status: "queued", waitingReason: "rate_limit" } })?.text).toBe(
      "Waits for the rate limit",
    );
    expect(
      waitingOf({ ...about, node: { ...base, status: "retrying", attempts: 1, errorCode: "provider_error" } })?.text,
    ).toBe("Attempt 2 begins when the pause after provider_error is over");
    expect(waitingOf({ ...about, node: { ...base, missing: ["x", "y"] } })).toMatchObject({
      text: "Needs values for x and y",
      needsPerson: true,
    });
    expect(
      waitingOf({ ...about, node: { ...base, status: "running", isExpanded: true }, instances: [node("a"), base] })
        ?.text,
    ).toBe("Waits for its instances: 1 of 2 done");
    expect(
      waitingOf({ ...about, node: { ...base, status: "running", waitingReason: "external_callback" } })?.text,
    ).toContain("callback");
    expect(waitingOf({ ...about, node: { ...base, status: "running" } })).toBeNull();
  });

  it("reads the wait that an event records", () => {
    expect(STORY.map(waitNoteOf).filter((note) => note !== null)).toHaveLength(4);
    expect(log.waits.get("a")).toMatchObject({ until: 90, nextAttempt: 2 });
    expect([
      listed([]),
      listed(["a"]),
      listed(["a", "b"]),
      listed(["a", "b", "c"]),
      listed(["a", "b", "c", "d", "e"]),
    ]).toEqual(["", "a", "a and b", "a, b and c", "a, b, c and 2 more"]);
  });
});

describe("gateCells", () => {
  it("knows the gates in the order they are asked", () => {
    expect(GATE_ORDER).toEqual(DISPATCH_GATES.map(({ name }) => name));
    expect(GATE_ORDER.every((gate) => Object.hasOwn(GATE_QUESTIONS, gate))).toBe(true);
  });

  it("has eleven cells whatever was asked, and marks the one that decided", () => {
    const cells = gateCells({
      gate: "agent_status",
      trail: [
        { gate: "gateway_health", outcome: "pass" },
        { gate: "agent_status", outcome: "block", detail: "paused" },
      ],
    });
    expect(cells).toHaveLength(11);
    expect(cells.filter(({ isDecisive }) => isDecisive)).toEqual([
      { gate: "agent_status", outcome: "block", detail: "paused", isDecisive: true },
    ]);
    expect(cells.filter(({ outcome }) => outcome === "not_evaluated")).toHaveLength(9);
  });
});

describe("Sums", () => {
  it("adds cost and tokens by node and by model", () => {
    const sums = new Sums();
    for (const event of STORY) sums.take(event);
    expect(sums.run).toEqual({ costMicros: 10, inputTokens: 6, outputTokens: 8, thinkingTokens: 2, cachedTokens: 4 });
    expect(sums.byNode.get("a")?.costMicros).toBe(10);
    expect([...sums.byModel].map(([model, sum]) => [model, sum.costMicros])).toEqual([["m", 7]]);
  });
});

describe("lineageLines", () => {
  it("unfolds each value once, depth first", () => {
    const point = (id: number, nodeId: string | null, path: string) => ({
      id,
      runId: "r",
      workflow: "w",
      nodeId,
      path,
      attempt: null,
      end: null,
      cut: null,
    });
    const lineage: LineageView = {
      direction: "up",
      start: 0,
      points: [
        point(0, "d", "outputs"),
        point(1, "b", "outputs.x"),
        point(2, "c", "outputs.y"),
        point(3, null, "args.who"),
      ],
      links: [
        { from: 1, to: 0, input: "command", transform: null },
        { from: 2, to: 0, input: "stdin", transform: "json" },
        { from: 3, to: 1, input: "command", transform: null },
        { from: 3, to: 2, input: "command", transform: null },
      ],
      attempts: [],
      isCut: false,
    };
    expect(lineageLines(lineage).map(({ depth, nodeId, path, via }) => [depth, nodeId, path, via])).toEqual([
      [0, "d", "outputs", null],
      [1, "b", "outputs.x", "command"],
      [2, null, "args.who", "command"],
      [1, "c", "outputs.y", "stdin (json)"],
      [2, null, "args.who", "command"],
    ]);
  });

  it("ends where values go round in a circle", () => {
    const point = (id: number) => ({
      id,
      runId: "r",
      workflow: "w",
      nodeId: `n${id}`,
      path: "outputs",
      attempt: null,
      end: null,
      cut: null,
    });
    const links = [
      { from: 0, to: 1, input: "i", transform: null },
      { from: 1, to: 0, input: "i", transform: null },
    ];
    const lines = lineageLines({
      direction: "down",
      start: 0,
      points: [point(0), point(1)],
      links,
      attempts: [],
      isCut: false,
    });
    expect(lines.map(({ nodeId, isRepeated }) => [nodeId, isRepeated])).toEqual([
      ["n0", false],
      ["n1", false],
      ["n0", true],
    ]);
  });
});

describe("ViewHistory", () => {
  it("shows every event as the plain fold does, in whatever order it is asked", () => {
    const many = logOf(
      STARTED,
      queued("a"),
      start("a", 1),
      ...Array.from(
        { length: 1_500 },
        (_, deltaIndex) => ["node.stream.delta", { nodeId: "a", attempt: 1, deltaIndex, text: "x" }] as const,
      ),
      done("a", 1),
    );
    const history = new ViewHistory(OUTLINE, many);
    const about = { runId: "r", workflowId: "w" };
    for (const at of [1_504, 3, 0, 999, 500, 501, 1_503, 1_504, 99_999]) {
      expect(projectView(history.at(at), about)).toEqual(projectView(reduceRun(many.slice(0, at), OUTLINE), about));
    }
  });
});

describe("RunFeed", () => {
  const state = (events: readonly RunEvent[]): State => ({
    ...projectView(reduceRun(events, OUTLINE), { runId: "run_1", workflowId: "w" }),
    waitingFor: null,
  });

  function feedOf(events: readonly RunEvent[], msPerLook = 0) {
    const frames: (() => void)[] = [];
    let now = 0;
    const feed = new RunFeed(startOfState(state(events)), {
      nextFrame: (run) => frames.push(run),
      now: () => (now += msPerLook),
    });
    const draw = (ms = 1_000): boolean => {
      now += ms;
      const next = frames.shift();
      next?.();
      return next !== undefined;
    };
    return { feed, draw };
  }

  it("shows the state that was read first until its events have been folded, and both are the same", () => {
    const { feed, draw } = feedOf(STORY);
    // What a run waits for is known to the server alone: its child runs may wait for it.
    const shown = () => ({ ...projectView(feed.shown, { runId: "run_1", workflowId: "w" }), waitingFor: null });
    expect(shown()).toEqual(state(STORY));
    feed.take(framed(STORY.slice(0, 5)));
    draw();
    expect([feed.isCaughtUp, feed.log.view.lastEventId]).toEqual([false, 5]);
    expect(shown()).toEqual(state(STORY));
    feed.take(framed(STORY.slice(5)));
    draw();
    expect(feed.isCaughtUp).toBe(true);
    expect(shown()).toEqual(state(STORY));
  });

  it("folds a little before each picture until nothing is left", () => {
    const many = logOf(
      STARTED,
      queued("a"),
      start("a", 1),
      ...Array.from(
        { length: 997 },
        (_, deltaIndex) => ["node.stream.delta", { nodeId: "a", attempt: 1, deltaIndex, text: "x" }] as const,
      ),
    );
    const { feed, draw } = feedOf([], 2);
    feed.take(framed(many));
    let pictures = 0;
    let calls = 0;
    feed.onNodes(() => (calls += 1));
    while (draw()) pictures += 1;
    expect(feed.log.view.lastEventId).toBe(1_000);
    expect(pictures).toBeGreaterThan(10);
    expect(calls).toBeLessThanOrEqual(pictures);
    expect(feed.node("a")?.streamedText).toHaveLength(997);
  });

  it("notifies the listeners of a node when that node changed, once for however many events", () => {
    const { feed, draw } = feedOf([]);
    const calls = { a: 0, b: 0, both: 0, any: 0 };
    feed.onNodes(() => (calls.a += 1), ["a"]);
    feed.onNodes(() => (calls.b += 1), ["b"]);
    feed.onNodes(() => (calls.both += 1), ["a", "b"]);
    const stop = feed.onNodes(() => (calls.any += 1));
    feed.take(framed(logOf(STARTED, queued("a"), start("a", 1), done("a", 1))));
    while (draw());
    expect(calls).toEqual({ a: 1, b: 0, both: 1, any: 1 });
    stop();
    feed.take(framed(logOf(STARTED, queued("a"), start("a", 1), done("a", 1), queued("b"), start("b", 1)).slice(4)));
    while (draw());
    expect(calls).toEqual({ a: 1, b: 1, both: 2, any: 1 });
  });

  it("notifies no listener while the state that was read first is shown, and all of them when it no longer is", () => {
    const { feed, draw } = feedOf(STORY);
    let calls = 0;
    feed.onNodes(() => (calls += 1), ["a"]);
    feed.take(framed(STORY.slice(0, -1)));
    while (draw());
    expect(calls).toBe(0);
    feed.take(framed(STORY.slice(-1)));
    while (draw());
    expect(calls).toBe(1);
  });

  it("draws nodes some twenty times a second, however fast events come and pictures are drawn", () => {
    const { feed, draw } = feedOf([]);
    const many = logOf(
      STARTED,
      queued("a"),
      start("a", 1),
      ...Array.from(
        { length: 60 },
        (_, deltaIndex) => ["node.stream.delta", { nodeId: "a", attempt: 1, deltaIndex, text: "x" }] as const,
      ),
    );
    let calls = 0;
    feed.onNodes(() => (calls += 1), ["a"]);
    for (const frame of framed(many)) {
      feed.take([frame]);
      draw(16);
    }
    while (draw(16));
    // And once more with each of the lists.
    expect(calls).toBeLessThanOrEqual(Math.ceil((63 * 16) / 48) + Math.ceil((63 * 16) / 160) + 1);
    expect(feed.node("a")?.streamedText).toHaveLength(60);
  });

  it("notifies lists less often than nodes, and never forgets the last change", () => {
    const { feed, draw } = feedOf([]);
    let lists = 0;
    feed.onLists(() => (lists += 1));
    feed.take(framed(STORY.slice(0, 2)));
    draw();
    feed.take(framed(STORY.slice(2, 4)));
    draw(16);
    expect(lists).toBe(1);
    while (draw(16));
    expect(lists).toBe(2);
  });

  it("looks at an earlier event while the run goes on, and comes back", () => {
    const { feed, draw } = feedOf([]);
    feed.take(framed(STORY.slice(0, 8)));
    draw();
    feed.pin(4);
    expect([feed.pinnedAt, feed.node("a")?.status]).toEqual([4, "running"]);
    feed.take(framed(STORY.slice(8)));
    draw();
    expect(feed.node("a")?.status).toBe("running");
    feed.pin(null);
    expect(feed.node("a")?.status).toBe("completed");
  });

  it("leaves out what it has seen and what does not follow", () => {
    const { feed, draw } = feedOf([]);
    feed.take(framed([...STORY.slice(0, 3), ...STORY.slice(1, 3), ...STORY.slice(5)]));
    draw();
    expect(feed.log.events.map(({ eventId }) => eventId)).toEqual([1, 2, 3]);
  });
});

describe("linesOf", () => {
  const log = new RunLog(OUTLINE);
  for (const frame of framed(STORY)) log.take(frame);
  const all = { kind: "all", text: "", nodeId: null } as const;

  it.each(["compact", "full", "json"] as const)("makes the same lines one by one as all at once: %s", (mode) => {
    for (const until of [null, 0, 1, 4, STORY.length, STORY.length + 9]) {
      for (const filter of [all, { ...all, nodeId: "a" }, { ...all, kind: "run" } as const]) {
        const lines = linesOf(log, mode, filter, until);
        const listed = lines.between(0, lines.count + 5);
        expect(listed).toHaveLength(lines.count);
        expect(listed).toEqual(Array.from({ length: lines.count }, (_, place) => lines.at(place)));
        expect(listed.every(({ eventId }) => eventId <= (until ?? Infinity))).toBe(true);
        listed.forEach(({ eventId }, place) => expect(lines.placeOf(eventId)).toBe(place));
        expect([lines.at(lines.count), lines.placeOf(99_999)]).toEqual([undefined, -1]);
      }
    }
  });
});

describe("a view made from a state", () => {
  it("knows instances by their node, also when a node is named like one", () => {
    const events = logOf(STARTED, [
      "node.expanded",
      { nodeId: "a", count: 2, instanceIds: ["a[0]", "a[1]"], items: [1, 2] },
    ]);
    const calls: State = {
      ...projectView(reduceRun(events, OUTLINE), { runId: "r", workflowId: "w" }),
      waitingFor: null,
    };
    expect(outlineOfState(calls).nodes.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(viewOfState(calls).nodes.get("a[1]")?.instance).toEqual({ parent: "a", element: 1 });
    expect(viewOfState(calls).counts).toEqual(reduceRun(events, OUTLINE).counts);
  });
});

describe("commands", () => {
  it("offers what fits the selection, quoted for a shell", () => {
    const about = { origin: "http://127.0.0.1:7717", runId: "run_1", nodeId: null, eventId: null };
    expect(commandsFor(about)).toHaveLength(5);
    const [last] = commandsFor({ ...about, nodeId: "it's[0]", eventId: 7 }).slice(-4, -3);
    expect(last?.cli).toBe("sluice runs restart run_1 --from-node 'it'\\''s[0]'");
    expect(last?.curl).toContain(`-d '{"fromNode":"it'\\''s[0]"}'`);
    expect(commandsFor({ ...about, eventId: 7 }).map(({ cli }) => cli)).toContain("sluice runs rewind run_1 --to 7");
    expect([quoted("a-b_c.d"), quoted(""), quoted("$(x)")]).toEqual(["a-b_c.d", "''", "'$(x)'"]);
  });
});
