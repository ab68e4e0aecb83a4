import { describe, expect, it } from "vitest";
import { EVENT_TYPES, type EventPayload, type EventType, type RunEvent } from "../event/index.ts";
import { entriesOfEvents } from "./entries-of-events.ts";
import type { AuditEntry } from "./entry.ts";

const RUN = { runId: "run_1", startedBy: "key_1" };
const NOTHING_SPENT = { counts: { completed: 1, failed: 0, skipped: 0, cancelled: 0, timedOut: 0 }, costMicros: 7 };
const ON_NODE = { nodeId: "a", attempt: 2 };
const ON_APPROVAL = { ...ON_NODE, approvalId: "apr_1", source: "policy" } as const;
const ROUTE = {
  agentId: "writer",
  gatewayId: "local",
  provider: "scripted",
  model: null,
  verdictId: "v_1",
  executionPath: "edge",
} as const;
const FAILED = { errorCode: "provider_auth", errorMessage: "the secret of ann", retryable: false };

function event<T extends EventType>(type: T, payload: EventPayload<T>): RunEvent {
  return { eventId: 1, at: 1_000, type, payload } as unknown as RunEvent;
}

const entryOf = <T extends EventType>(type: T, payload: EventPayload<T>): AuditEntry | undefined =>
  entriesOfEvents(RUN, [event(type, payload)])[0];

describe("the audit of a run", () => {
  it("records how it began and ended", () => {
    const started = {
      workflow: "triage",
      version: 3,
      hash: "sha256:1",
      args: { ticket: "of ann" },
      nodeCount: 2,
      trigger: "api",
      recursionDepth: 0,
      parentRunId: "run_0",
    };
    expect(entryOf("run.started", started)).toEqual({
      at: 1_000,
      category: "execution",
      type: "run.started",
      actor: "key_1",
      resource: "run/run_1",
      run: "run_1",
      detail: {
        workflow: "triage",
        version: 3,
        hash: "sha256:1",
        trigger: "api",
        nodeCount: 2,
        recursionDepth: 0,
        parentRunId: "run_0",
      },
    });
    const withoutCaller = entriesOfEvents({ ...RUN, startedBy: null }, [event("run.started", started)]);
    expect(withoutCaller[0]?.actor).toBe("sluice");
    const ends = ["completed", "failed", "cancelled", "timed_out"] as const;
    for (const status of ends) {
      const found = entryOf(`run.${status}`, { ...NOTHING_SPENT, errorCode: "timeout", reason: "ann said so" });
      expect(found).toMatchObject({ type: "run.finished", actor: "sluice" });
      expect(found?.detail).toEqual({ status, ...NOTHING_SPENT, errorCode: "timeout", reason: "ann said so" });
    }
  });

  it("records what was dispatched and what came of it", () => {
    expect(entryOf("node.started", { ...ON_NODE, wave: 1, ...ROUTE })).toEqual({
      at: 1_000,
      category: "execution",
      type: "node.dispatched",
      actor: "sluice",
      resource: "node/a",
      run: "run_1",
      node: "a",
      detail: { attempt: 2, ...ROUTE },
    });
    const expected: readonly (readonly [AuditEntry | undefined, string, object])[] = [
      [
        entryOf("node.completed", {
          ...ON_NODE,
          envelope: { kind: "text", artifactKind: "text", output: "of ann" },
          outputs: { text: "of ann" },
          durationMs: 5,
          inputTokens: 1,
          outputTokens: 2,
          costMicros: 3,
          carried: true,
        }),
        "node.completed",
        { attempt: 2, durationMs: 5, inputTokens: 1, outputTokens: 2, costMicros: 3, carried: true },
      ],
      [
        entryOf("node.failed", { ...ON_NODE, ...FAILED }),
        "node.failed",
        { attempt: 2, status: "failed", errorCode: "provider_auth" },
      ],
      [
        entryOf("node.timed_out", { ...ON_NODE, ...FAILED, timeoutMs: 9 }),
        "node.failed",
        { attempt: 2, status: "timed_out", errorCode: "provider_auth", timeoutMs: 9 },
      ],
      [
        entryOf("node.cancelled", { ...ON_NODE, reason: "run_cancelled" }),
        "node.failed",
        { attempt: 2, status: "cancelled", reason: "run_cancelled" },
      ],
      [
        entryOf("node.skipped", { nodeId: "a", reason: "condition_false" }),
        "node.skipped",
        { reason: "condition_false" },
      ],
    ];
    for (const [found, type, detail] of expected) {
      expect(found?.type).toBe(type);
      expect(found?.detail).toEqual(detail);
    }
  });

  it("records what the gates refused and held, and who answered", () => {
    const block = {
      ...ON_NODE,
      disposition: "block",
      gate: "agent_budget",
      code: "budget_exceeded",
      verdictId: "v_1",
    } as const;
    expect(entryOf("gate.decided", block)).toMatchObject({
      type: "gate.rejected",
      category: "governance",
      detail: { attempt: 2, gate: "agent_budget", code: "budget_exceeded", verdictId: "v_1" },
    });
    const hold = { nodeId: "a", disposition: "hold", gate: "approval_required", verdictId: null } as const;
    expect(entryOf("gate.decided", hold)).toMatchObject({
      type: "gate.held",
      detail: { gate: "approval_required", verdictId: null },
    });
    expect(entryOf("approval.escalated", { ...ON_APPROVAL, hop: 1, who: "lead" })).toMatchObject({
      type: "approval.escalated",
      actor: "sluice",
      resource: "approval/apr_1",
      node: "a",
      detail: { attempt: 2, approvalId: "apr_1", source: "policy", hop: 1, who: "lead" },
    });
    const answer = { status: "approved", decision: "approve", by: "ann", modifications: { text: "private" } } as const;
    const resolved = entryOf("approval.resolved", { ...ON_APPROVAL, ...answer });
    expect(resolved).toMatchObject({ actor: "ann", detail: { decision: "approve", by: "ann", modified: ["text"] } });
    const byKey = entryOf("approval.resolved", { ...ON_APPROVAL, ...answer, byId: "key_1" });
    expect(byKey).toMatchObject({ actor: "key_1", detail: { by: "ann" } });
    const expired = entryOf("approval.resolved", { ...ON_APPROVAL, status: "expired" });
    expect(expired).toMatchObject({ actor: "sluice", detail: { status: "expired" } });
  });

  it("asks for an answer without the text that is to be judged", () => {
    const requested = entryOf("approval.requested", {
      ...ON_APPROVAL,
      choices: ["approve", "reject"],
      epoch: 0,
      digest: "sha256:2",
      summary: "the summary of ann",
      rendered: "the prompt of ann",
      agentId: null,
      policies: ["p_1"],
      approvers: [{ who: "ops", withinMs: null }],
      otherwise: null,
      isSeparate: true,
      expiresAt: 9,
      hop: 0,
    });
    expect(requested?.detail).toMatchObject({ digest: "sha256:2", policies: ["p_1"], choices: ["approve", "reject"] });
    expect(JSON.stringify(requested)).not.toContain("of ann");
  });

  it("leaves out what no person answers for", () => {
    const silent: readonly RunEvent[] = [
      event("node.started", { ...ON_NODE, wave: 0, ...ROUTE, gatewayId: null, executionPath: null }),
      event("node.cancelled", { nodeId: "b", reason: "cancelled_by_sibling" }),
      event("gate.decided", { ...ON_NODE, disposition: "allow", verdictId: "v_1" }),
      event("node.stream.delta", { ...ON_NODE, deltaIndex: 0, text: "x" }),
      event("run.recovered", NOTHING_SPENT),
    ];
    expect(entriesOfEvents(RUN, silent)).toEqual([]);
    expect(EVENT_TYPES.length).toBeGreaterThan(silent.length);
  });

  it("keeps the order of the log", () => {
    const log = [
      event("node.started", { ...ON_NODE, wave: 1, ...ROUTE }),
      event("node.failed", { ...ON_NODE, ...FAILED }),
      event("run.failed", NOTHING_SPENT),
    ];
    expect(entriesOfEvents(RUN, log).map(({ type }) => type)).toEqual([
      "node.dispatched",
      "node.failed",
      "run.finished",
    ]);
  });
});
