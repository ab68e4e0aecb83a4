import { describe, expect, it } from "vitest";
import { LIMITS, required } from "../base/index.ts";
import { EMPTY_CATALOG } from "../definition/index.ts";
import { checkSource, layersOf, type Plan, type PlanNode } from "./index.ts";

function planOf(source: string): Plan {
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  expect(problems).toEqual([]);
  return required(plan, "a plan");
}

function nodeOf(plan: Plan, id: string): PlanNode {
  return required(plan.nodes[plan.indexById.get(id) ?? -1], id);
}

/** One step with the given fields beside its id. */
function stepOf(fields: string): PlanNode {
  return nodeOf(planOf(`{name: one, steps: [{id: only, ${fields}}]}`), "only");
}

describe("order", () => {
  const plan = planOf(`
name: diamond
max_parallel: 7
timeout: 90
model: m
steps:
  - { id: join, command: go, depends_on: [right, left] }
  - { id: left, command: go, depends_on: [top] }
  - { id: late, command: go, depends_on: [join, top] }
  - { id: right, command: go, depends_on: [top] }
  - { id: top, command: go }
  - { id: alone, command: go }
`);

  it("stands by wave, then by code unit of id", () => {
    expect(plan.nodes.map((node) => [node.index, node.id, node.wave])).toEqual([
      [0, "alone", 0],
      [1, "top", 0],
      [2, "left", 1],
      [3, "right", 1],
      [4, "join", 2],
      [5, "late", 3],
    ]);
    expect(layersOf(plan)).toEqual([["alone", "top"], ["left", "right"], ["join"], ["late"]]);
  });

  it("links both ways and counts edges once", () => {
    expect(nodeOf(plan, "join").parents).toEqual([2, 3]);
    expect(nodeOf(plan, "top").dependents.map((index) => plan.nodes[index]?.id)).toEqual(["late", "left", "right"]);
    expect(plan.edgeCount).toBe(6);
  });

  it("carries the head of the definition", () => {
    expect(plan).toMatchObject({
      name: "diamond",
      format: "lobsterx",
      completion: "strict",
      model: "m",
      timeoutMs: 90_000,
      maxParallel: 7,
    });
  });

  it("waits for a step that only a reference names", () => {
    const plan = planOf(`
name: refs
steps:
  - { id: a, command: go }
  - { id: b, command: "use \${a.stdout}" }
  - { id: c, command: go, condition: "$b.approved == true" }
`);
    expect(layersOf(plan)).toEqual([["a"], ["b"], ["c"]]);
  });
});

describe("kinds and timeouts of steps", () => {
  it.each([
    ["command: go", "agent", LIMITS.stepTimeoutMsDefault],
    ["command: go, timeout: 5", "agent", 5_000],
    ["approval: required", "gate", null],
    ["approval: required, timeout: 5", "gate", null],
    ["approval: required, command: go", "agent", LIMITS.stepTimeoutMsDefault],
    ["workflow_ref: other", "child", null],
    ["workflow_ref: other@3, timeout: 5", "child", 5_000],
    ["workflow_ref: other, approval: required", "child", null],
    ["library_step: shared", "agent", LIMITS.stepTimeoutMsDefault],
    ["library_step: shared, approval: required", "agent", LIMITS.stepTimeoutMsDefault],
  ])("%s → %s", (fields, kind, timeoutMs) => {
    expect(stepOf(fields)).toMatchObject({ kind, timeoutMs });
  });

  it("keeps the approval beside a child and beside a command", () => {
    expect(stepOf("workflow_ref: other@3, approval: required")).toMatchObject({
      approval: expect.objectContaining({ expiresMs: LIMITS.approvalExpiresMsDefault }),
      child: { workflow: { name: "other", version: 3 } },
    });
    expect(stepOf("command: go").approval).toBeNull();
  });

  it("knows who answers an escalation: those the step names, at its gate or without one", () => {
    const rule = expect.objectContaining({ expiresMs: 3_600_000 });
    expect(stepOf("command: go, expires: 1h")).toMatchObject({ approval: null, askRule: rule });
    expect(stepOf("command: go, expires: 1h, approval: required")).toMatchObject({ approval: rule, askRule: rule });
    expect(stepOf("command: go").askRule).toBeNull();
  });

  it("labels a step by its name, else by its id", () => {
    expect(stepOf("command: go, name: Do it").label).toBe("Do it");
    expect(stepOf("command: go").label).toBe("only");
  });

  it("carries what routing and gates need to know", () => {
    const node = stepOf(
      "command: go, agent: ada, role: r, model: m, provider: p, capabilities: [c], tools: [t], action: write, estimated_cost: 0.5, queue_timeout: 9, parallel_failure_policy: fail_fast, effects: at_most_once",
    );
    expect(node).toMatchObject({
      queueTimeoutMs: 9_000,
      isFailFast: true,
      effects: "at_most_once",
      request: {
        agent: "ada",
        role: "r",
        model: "m",
        provider: "p",
        capabilities: ["c"],
        tools: ["t"],
        action: "write",
        estimatedCostMicros: 500_000,
      },
    });
  });
});

describe("retry policy", () => {
  const once = { attempts: 2, causes: "any", delay: { kind: "exact", delaysMs: [0] } };
  const never = { attempts: 1, causes: "any", delay: { kind: "exact", delaysMs: [] } };

  it.each([
    ["halt", never, "halt"],
    ["skip", never, "skip"],
    ["retry_once", once, "halt"],
    ["retry", { attempts: 4, causes: "any", delay: { kind: "exact", delaysMs: [1_000, 2_000, 4_000] } }, "halt"],
    ["retry_once_then_escalate", once, "escalate"],
  ])("bare %s", (policy, retry, onFailure) => {
    expect(stepOf(`command: go, on_failure: ${policy}`)).toMatchObject({ retry, onFailure });
  });

  it.each([
    ["halt", "halt"],
    ["skip", "skip"],
    ["retry_once", "halt"],
    ["retry", "halt"],
    ["retry_once_then_escalate", "escalate"],
  ])("a block wins over %s, which still says what follows", (policy, onFailure) => {
    const block = "{attempts: 5, backoff_ms: 10, max_backoff_ms: 80, retry_on: [timeout]}";
    expect(stepOf(`command: go, on_failure: ${policy}, retry: ${block}`)).toMatchObject({
      retry: { attempts: 5, causes: ["timeout"], delay: { kind: "backoff", baseMs: 10, maxMs: 80 } },
      onFailure,
    });
  });

  it("lets a block of one attempt switch a retrying policy off", () => {
    expect(stepOf("command: go, on_failure: retry, retry: {attempts: 1}").retry.attempts).toBe(1);
  });
});
