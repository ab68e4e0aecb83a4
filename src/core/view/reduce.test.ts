import { describe, expect, it } from "vitest";
import { PLAIN_SUBJECT } from "../../../test/conformance/plain.ts";
import type { EventOf, EventType, RunEvent, Subject } from "../event/index.ts";
import { projectView } from "./projection.ts";
import { applyToView, reduceRun } from "./reduce.ts";
import type { NodeView, PlanOutline, RunView } from "./run-view.ts";

const outline: PlanOutline = {
  nodes: [
    { id: "a", label: "First", wave: 0 },
    { id: "b", label: "Second", wave: 1 },
  ],
};

type Entry = { [T in EventType]: readonly [T, EventOf<T>["payload"]] }[EventType];

/** Events with ids 1, 2, 3, … at 1000, 1010, 1020, … */
function log(...entries: readonly Entry[]): RunEvent[] {
  return entries.map(
    ([type, payload], index) => ({ eventId: index + 1, at: 1_000 + index * 10, type, payload }) as RunEvent,
  );
}

const runStarted: Entry = [
  "run.started",
  { workflow: "w", version: 1, hash: "h", args: {}, nodeCount: 2, trigger: "manual", recursionDepth: 0 },
];
const SUBJECT: Subject = { ...PLAIN_SUBJECT, title: "Publish 3 pages?" };
const queued = (nodeId: string): Entry => ["node.queued", { nodeId, waitingReason: "queued" }];
const waiting = (nodeId: string): Entry => ["node.waiting", { nodeId, waitingReason: "dependency" }];
const started = (nodeId: string, attempt = 1, wave = 0): Entry => [
  "node.started",
  {
    nodeId,
    attempt,
    wave,
    agentId: "default",
    gatewayId: "local",
    provider: "scripted",
    model: "m",
    verdictId: "v",
    executionPath: "edge",
  },
];
const delta = (nodeId: string, deltaIndex: number, text: string): Entry => [
  "node.stream.delta",
  { nodeId, attempt: 1, deltaIndex, text },
];
const completed = (nodeId: string, output = "done"): Entry => [
  "node.completed",
  {
    nodeId,
    attempt: 1,
    envelope: { kind: "text", artifactKind: "text", output },
    outputs: { text: output },
    durationMs: 7,
    inputTokens: 1,
    outputTokens: 2,
    costMicros: 5,
  },
];
const retried = (nodeId: string, cause: string, nextAttempt: number): Entry => [
  "node.retried",
  {
    nodeId,
    attempt: 1,
    cause,
    delayMs: 10,
    nextAttempt,
    errorCode: "provider_error",
    errorMessage: "no",
    until: 2_000,
  },
];
const failed = (nodeId: string, errorCode: string): Entry => [
  "node.failed",
  { nodeId, attempt: 1, errorCode, errorMessage: "It broke.", retryable: false },
];
const counts = { completed: 2, failed: 0, skipped: 0, cancelled: 0, timedOut: 0 };
const runCompleted: Entry = ["run.completed", { counts, costMicros: 0 }];
const runFailed: Entry = ["run.failed", { counts, costMicros: 0, errorCode: "provider_error" }];
const tokens = { inputTokens: 1, outputTokens: 2, thinkingTokens: 0, cachedTokens: 0 };
const cost = (nodeId: string, costMicros: number): Entry => [
  "cost.recorded",
  { nodeId, attempt: 1, costMicros, tokens },
];

const node = (view: RunView, id: string): NodeView | undefined => view.nodes.get(id);
const wholeLog = log(
  runStarted,
  queued("a"),
  waiting("b"),
  started("a"),
  delta("a", 0, "Hel"),
  delta("a", 1, "lo"),
  cost("a", 5),
  completed("a", "Hello"),
  queued("b"),
  started("b", 1, 1),
  completed("b"),
  runCompleted,
);

describe("reduceRun", () => {
  it("shows a run without events as queued, its nodes pending", () => {
    const view = reduceRun([], outline);
    expect(view).toMatchObject({ status: "queued", lastEventId: 0, hasGap: false, costMicros: 0 });
    expect(view.counts.pending).toBe(2);
    expect([...view.nodes.values()].map(({ id, status }) => [id, status])).toEqual([
      ["a", "pending"],
      ["b", "pending"],
    ]);
    expect(node(view, "a")).toMatchObject({ status: "pending", label: "First", wave: 0, attempts: 0, deltaIndex: -1 });
  });

  it("folds a whole log", () => {
    const view = reduceRun(wholeLog, outline);
    expect(view).toMatchObject({
      status: "completed",
      lastEventId: 12,
      startedAt: 1_000,
      endedAt: 1_110,
      costMicros: 5,
    });
    expect(view.counts).toMatchObject({ completed: 2, pending: 0, running: 0 });
    expect(node(view, "a")).toMatchObject({
      status: "completed",
      attempts: 1,
      startedAt: 1_030,
      completedAt: 1_070,
      durationMs: 7,
      outputs: { text: "Hello" },
      output: "Hello",
      streamedText: "Hello",
      costMicros: 5,
      agentId: "default",
    });
    expect([...view.nodes.values()].map(({ id, status }) => [id, status])).toEqual([
      ["a", "completed"],
      ["b", "completed"],
    ]);
  });

  it("names what was interrupted when a log ends mid-stream", () => {
    const view = reduceRun(wholeLog.slice(0, 6), outline);
    expect(node(view, "a")).toMatchObject({ status: "streaming" });
    expect(node(view, "a")).toMatchObject({ status: "streaming", deltaIndex: 1, streamedText: "Hello" });
    expect(view.status).toBe("running");
  });

  it("drops pieces it has seen, per node", () => {
    const view = reduceRun(
      log(
        runStarted,
        started("a"),
        started("b"),
        delta("a", 0, "x"),
        delta("a", 0, "x"),
        delta("a", 2, "z"),
        delta("a", 1, "y"),
        delta("b", 0, "other"),
      ),
      outline,
    );
    expect(node(view, "a")).toMatchObject({ streamedText: "xz", deltaIndex: 2 });
    expect(node(view, "b")).toMatchObject({ streamedText: "other", deltaIndex: 0 });
  });

  it("starts the text anew with each attempt, and continues to count pieces", () => {
    const view = reduceRun(
      log(
        runStarted,
        started("a"),
        delta("a", 0, "bad"),
        retried("a", "timeout", 2),
        started("a", 2),
        delta("a", 1, "good"),
      ),
      outline,
    );
    expect(node(view, "a")).toMatchObject({ streamedText: "good", deltaIndex: 1, attempts: 2, retries: 1 });
  });

  it("keeps media pieces in order", () => {
    const media = (deltaIndex: number, url: string): Entry => [
      "node.stream.delta",
      { nodeId: "a", attempt: 1, deltaIndex, media: { url } },
    ];
    const view = reduceRun(log(runStarted, started("a"), media(0, "u0"), media(1, "u1")), outline);
    expect(node(view, "a")?.streamedMedia).toEqual([{ url: "u0" }, { url: "u1" }]);
  });

  it("never revives a settled node", () => {
    const late = [
      queued("a"),
      waiting("a"),
      started("a", 2),
      delta("a", 9, "late"),
      retried("a", "timeout", 3),
      failed("a", "x"),
    ];
    const view = reduceRun(log(runStarted, started("a"), completed("a"), ...late), outline);
    expect(node(view, "a")).toMatchObject({
      status: "completed",
      attempts: 1,
      retries: 0,
      streamedText: "",
      output: "done",
    });
    expect(view.lastEventId).toBe(9);
  });

  it("sorts an unsorted log and ignores repeats", () => {
    const shuffled = [...wholeLog.slice(6), ...wholeLog.slice(0, 8)].reverse();
    expect(reduceRun(shuffled, outline)).toEqual(reduceRun(wholeLog, outline));
  });

  it("opens a failed run again when it recovers", () => {
    const view = reduceRun(
      log(
        runStarted,
        started("a"),
        failed("a", "provider_error"),
        runFailed,
        ["run.status.changed", { from: "failed", to: "running", epoch: 1, reason: "recover" }],
        ["node.invalidated", { nodeId: "a", reason: "recover" }],
        queued("a"),
        started("a", 2),
      ),
      outline,
    );
    expect(view).toMatchObject({ status: "running", epoch: 1, endedAt: null, errorCode: null });
    expect(node(view, "a")).toMatchObject({ status: "running", attempts: 2, errorCode: null, completedAt: null });
    applyToView(view, { eventId: 9, at: 2_000, type: "run.recovered", payload: { counts, costMicros: 0 } });
    expect(view.status).toBe("recovered");
    applyToView(view, { eventId: 10, at: 2_000, type: "run.completed", payload: { counts, costMicros: 0 } });
    expect(view).toMatchObject({ status: "completed", endedAt: 2_000 });
  });

  it("counts retries", () => {
    const view = reduceRun(
      log(
        runStarted,
        started("a"),
        retried("a", "timeout", 2),
        queued("a"),
        started("a", 2),
        retried("a", "rate_limit", 3),
      ),
      outline,
    );
    expect(node(view, "a")).toMatchObject({
      status: "retrying",
      waitingReason: "rate_limit",
      attempts: 2,
      retries: 2,
      errorCode: "provider_error",
    });
  });

  it("shows why a node waits", () => {
    const limited: Entry = ["node.waiting", { nodeId: "b", waitingReason: "rate_limit", code: "rate_limited" }];
    const deferred: Entry = ["node.waiting", { nodeId: "a", attempt: 1, waitingReason: "external_callback" }];
    const view = reduceRun(log(runStarted, waiting("a"), queued("b")), outline);
    expect(node(view, "a")).toMatchObject({ status: "awaiting_dependency", waitingReason: "dependency" });
    expect(node(view, "b")).toMatchObject({ status: "queued", waitingReason: "queued" });
    const later = reduceRun(log(runStarted, started("a"), queued("b"), limited, deferred), outline);
    expect(node(later, "b")).toMatchObject({ status: "queued", waitingReason: "rate_limit" });
    expect(node(later, "a")).toMatchObject({ status: "running", waitingReason: "external_callback" });
    const backoff = reduceRun(log(runStarted, started("a"), retried("a", "provider_error", 2)), outline);
    expect(node(backoff, "a")?.waitingReason).toBe("retry_backoff");
  });

  it("is moved by neutral events only in its last id", () => {
    const neutral: Entry[] = [
      [
        "node.provenance",
        { nodeId: "a", sourceRunId: "r", sourceNodeId: null, sourceOutputPath: "x", targetInputPath: "y" },
      ],
      ["node.log", { nodeId: "a", level: "info", message: "m" }],
      ["gate.decided", { nodeId: "a", disposition: "allow", verdictId: "v" }],
    ];
    const before = reduceRun(log(runStarted, started("a")), outline);
    const after = reduceRun(log(runStarted, started("a"), ...neutral), outline);
    expect(after).toEqual({ ...before, lastEventId: 5, handoffs: after.handoffs });
  });

  it("leaves a node settled that ended by contract or moderation", () => {
    const violated: Entry = ["contract.violated", { nodeId: "a", attempt: 1, phase: "output", errors: [] }];
    const flagged: Entry = ["moderation.flagged", { nodeId: "b", phase: "input", decision: "no" }];
    const view = reduceRun(
      log(
        runStarted,
        started("a"),
        violated,
        failed("a", "output_contract_violation"),
        flagged,
        failed("b", "moderation_blocked"),
      ),
      outline,
    );
    expect(node(view, "a")).toMatchObject({ status: "failed", errorCode: "output_contract_violation", durationMs: 20 });
    expect(node(view, "b")).toMatchObject({ status: "failed", errorCode: "moderation_blocked", durationMs: null });
  });

  it("keeps late cost of a settled node", () => {
    const view = reduceRun(
      log(runStarted, started("a"), cost("a", 5), completed("a"), runCompleted, cost("a", 3)),
      outline,
    );
    expect(view.costMicros).toBe(8);
    expect(node(view, "a")?.costMicros).toBe(8);
    expect(view.status).toBe("completed");
  });

  it("says why a node was skipped or cancelled, and marks a tolerated failure", () => {
    const skipped = (nodeId: string, reason: "condition_false" | "on_failure"): Entry => [
      "node.skipped",
      { nodeId, reason, ...(reason === "on_failure" ? { errorCode: "timeout", errorMessage: "late" } : {}) },
    ];
    const view = reduceRun(
      log(runStarted, skipped("a", "condition_false"), started("b"), skipped("b", "on_failure")),
      outline,
    );
    expect(node(view, "a")).toMatchObject({ status: "skipped", waitingReason: "condition_false", outputs: null });
    expect(node(view, "b")).toMatchObject({ outputs: { _skipped: true }, errorCode: "timeout", waitingReason: null });
    const cancelled = reduceRun(log(runStarted, ["node.cancelled", { nodeId: "a", reason: "run_halted" }]), outline);
    expect(node(cancelled, "a")).toMatchObject({ status: "cancelled", errorCode: "run_halted" });
  });

  it("shows that a failure was handled, until its node runs again", () => {
    const handled: Entry = ["node.handled", { nodeId: "a", attempt: 1, by: "b" }];
    const entries = [runStarted, started("a"), failed("a", "timeout"), handled];
    const view = reduceRun(log(...entries), outline);
    expect(node(view, "a")).toMatchObject({ status: "failed", errorCode: "timeout", isHandled: true });
    const [shown] = projectView(view, { runId: "r", workflowId: "w" }).nodeResults;
    expect(shown).toMatchObject({ isHandled: true });
    const again = reduceRun(log(...entries, ["node.invalidated", { nodeId: "a", reason: "rewound" }]), outline);
    expect(node(again, "a")).toMatchObject({ status: "invalidated", isHandled: false });
  });

  it("shows what the run is winding down to", () => {
    const cancelling: Entry = [
      "run.status.changed",
      { from: "running", to: "running", epoch: 0, reason: "cancelling" },
    ];
    const view = reduceRun(log(runStarted, cancelling), outline);
    expect(view).toMatchObject({ status: "running", ending: "cancelled" });
    const isCancelling = (): boolean => projectView(view, { runId: "r", workflowId: "w" }).isCancelling;
    expect(isCancelling()).toBe(true);
    applyToView(view, { eventId: 3, at: 2_000, type: "run.cancelled", payload: { counts, costMicros: 0 } });
    expect(view).toMatchObject({ status: "cancelled", ending: null });
    expect(isCancelling()).toBe(false);
  });

  it("follows approvals from question to answer", () => {
    const onApproval = { nodeId: "a", approvalId: "ap", source: "gate" } as const;
    const asked: Entry = [
      "approval.requested",
      {
        ...onApproval,
        choices: ["approve", "reject"],
        epoch: 0,
        digest: "d",
        summary: "Publish?",
        rendered: "text",
        agentId: null,
        policies: [],
        approvers: [{ who: "role:editor", withinMs: null }],
        otherwise: null,
        isSeparate: false,
        expiresAt: 9_000,
        hop: 0,
        subject: SUBJECT,
      },
    ];
    const view = reduceRun(
      log(
        runStarted,
        queued("a"),
        asked,
        ["node.blocked", { nodeId: "a", waitingReason: "human_input", approvalId: "ap" }],
        ["approval.reminded", { ...onApproval, urgency: "normal" }],
        ["approval.escalated", { ...onApproval, hop: 1, who: "role:owner" }],
      ),
      outline,
    );
    expect(node(view, "a")).toMatchObject({
      status: "blocked",
      waitingReason: "human_input",
      approvalId: "ap",
      label: "First",
      title: "Publish 3 pages?",
    });
    expect(view.approvals.get("ap")).toMatchObject({
      status: "pending",
      hop: 1,
      summary: "Publish?",
      requestedAt: 1_020,
    });
    const resolved = { ...onApproval, status: "approved", decision: "approve", by: "user:x" } as const;
    applyToView(view, { eventId: 7, at: 5_000, type: "approval.resolved", payload: resolved });
    expect(view.approvals.get("ap")).toMatchObject({ status: "approved", by: "user:x", resolvedAt: 5_000 });
  });

  it("finds nodes by itself when no outline is given", () => {
    const view = reduceRun(wholeLog);
    expect([...view.nodes.keys()]).toEqual(["a", "b"]);
    expect(view.counts.completed).toBe(2);
    expect(node(view, "b")?.wave).toBe(1);
  });

  it("is not led astray by names of Object.prototype", () => {
    const view = reduceRun(log(runStarted, started("__proto__"), completed("__proto__"), queued("constructor")));
    expect([...view.nodes.keys()]).toEqual(["__proto__", "constructor"]);
    expect(projectView(view, { runId: "r", workflowId: "w" }).executedCount).toBe(1);
  });
});

describe("applyToView", () => {
  it("ignores an event it has seen", () => {
    const view = reduceRun(wholeLog.slice(0, 7), outline);
    for (const event of wholeLog.slice(0, 7)) applyToView(view, event);
    expect(view).toEqual(reduceRun(wholeLog.slice(0, 7), outline));
  });

  it("folds nothing behind a gap and continues once it is filled", () => {
    const view = reduceRun([...wholeLog.slice(0, 4), ...wholeLog.slice(6)], outline);
    expect(view).toMatchObject({ hasGap: true, lastEventId: 4, status: "running" });
    for (const event of wholeLog.slice(4)) applyToView(view, event);
    expect(view).toEqual(reduceRun(wholeLog, outline));
    expect(view.hasGap).toBe(false);
  });

  it("replaces a node that changes and keeps the others", () => {
    const view = reduceRun(wholeLog.slice(0, 4), outline);
    const [a, b] = [node(view, "a"), node(view, "b")];
    const next = wholeLog[4];
    if (next !== undefined) applyToView(view, next);
    expect(node(view, "a")).not.toBe(a);
    expect(node(view, "b")).toBe(b);
  });
});

describe("instances", () => {
  const expanded = (count: number): Entry => [
    "node.expanded",
    {
      nodeId: "a",
      count,
      instanceIds: Array.from({ length: count }, (_, element) => `a[${element}]`),
      items: Array.from({ length: count }, (_, element) => element),
    },
  ];
  const resultIds = (view: RunView): string[] =>
    projectView(view, { runId: "r", workflowId: "w" }).nodeResults.map(({ nodeId }) => nodeId);

  it("stand directly after their node, by element", () => {
    const view = reduceRun(log(runStarted, expanded(11), started("a[10]"), started("a[2]")), outline);
    expect(resultIds(view)).toEqual(["a", ...Array.from({ length: 11 }, (_, element) => `a[${element}]`), "b"]);
    expect(node(view, "a[2]")).toMatchObject({ label: "First[2]", wave: 0, status: "running" });
    expect(node(view, "a")).toMatchObject({ status: "running", attempts: 0, startedAt: 1_010 });
    expect(view.counts).toMatchObject({ running: 3, pending: 10 });
  });

  it("that were carried over are completed as soon as their node expands", () => {
    const view = reduceRun(log(runStarted, completed("a[1]", "kept"), expanded(2)), outline);
    expect(node(view, "a[1]")).toMatchObject({ status: "completed", output: "kept", durationMs: 0, attempts: 0 });
    expect(node(view, "a[0]")?.status).toBe("pending");
    expect(view.carriedInstances.size).toBe(0);
  });

  it("that are completed stay when their node expands again", () => {
    const view = reduceRun(
      log(
        runStarted,
        expanded(2),
        started("a[0]"),
        completed("a[0]"),
        started("a[1]"),
        failed("a[1]", "timeout"),
        failed("a", "too_many_failures"),
        ["run.status.changed", { from: "failed", to: "running", epoch: 1, reason: "recover" }],
        ["node.invalidated", { nodeId: "a", reason: "recover" }],
        ["node.invalidated", { nodeId: "a[1]", reason: "recover" }],
        queued("a"),
        expanded(2),
      ),
      outline,
    );
    expect(node(view, "a[0]")?.status).toBe("completed");
    expect(node(view, "a[1]")).toMatchObject({ status: "pending", errorCode: null });
  });

  it("that all wait for a person pause the run, although their node runs", () => {
    const blocked: Entry = ["node.blocked", { nodeId: "a[0]", waitingReason: "human_input" }];
    const project = (view: RunView): boolean => projectView(view, { runId: "r", workflowId: "w" }).isPaused;
    expect(project(reduceRun(log(runStarted, expanded(1), blocked, waiting("b")), outline))).toBe(true);
    expect(project(reduceRun(log(runStarted, expanded(1), blocked, queued("b")), outline))).toBe(false);
  });
});

describe("projectView", () => {
  it("counts by status", () => {
    const view = reduceRun(
      log(runStarted, started("a"), cost("a", 4), retried("a", "timeout", 2), waiting("b")),
      outline,
    );
    expect(projectView(view, { runId: "r", workflowId: "w" })).toEqual({
      runId: "r",
      workflowId: "w",
      status: "running",
      isPaused: false,
      isCancelling: false,
      activeNodeIds: ["a"],
      pendingCount: 0,
      waitingCount: 2,
      inFlightCount: 0,
      executedCount: 0,
      failedCount: 0,
      upstreamFailedCount: 0,
      nodeResults: [
        {
          nodeId: "a",
          label: "First",
          wave: 0,
          status: "retrying",
          waitingReason: "retry_backoff",
          attempts: 1,
          retries: 1,
          startedAt: "1970-01-01T00:00:01.010Z",
          completedAt: null,
          durationMs: null,
          outputs: null,
          output: null,
          errorCode: "provider_error",
          errorMessage: "no",
          isHandled: false,
          costMicros: 4,
        },
        {
          nodeId: "b",
          label: "Second",
          wave: 1,
          status: "awaiting_dependency",
          waitingReason: "dependency",
          attempts: 0,
          retries: 0,
          startedAt: null,
          completedAt: null,
          durationMs: null,
          outputs: null,
          output: null,
          errorCode: null,
          errorMessage: null,
          isHandled: false,
          costMicros: 0,
        },
      ],
      upstreamCount: 0,
      downstreamCount: 0,
      parentRunId: null,
      recursionDepth: 0,
      outputs: null,
      costMicros: 4,
      lastEventId: 5,
    });
  });

  it("knows the parent of a child run", () => {
    const child: Entry = [
      "run.started",
      {
        workflow: "w",
        version: null,
        hash: "h",
        args: {},
        nodeCount: 1,
        trigger: "child",
        parentRunId: "p",
        recursionDepth: 1,
        handoffs: 2,
      },
    ];
    const projection = projectView(reduceRun(log(child), outline), { runId: "r", workflowId: "w" });
    expect(projection).toMatchObject({ parentRunId: "p", recursionDepth: 1, upstreamCount: 2 });
  });
});
