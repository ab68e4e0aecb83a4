import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { required } from "../base/index.ts";
import { ANYONE } from "../definition/index.ts";
import { advance, createRunState, type Effect, type Input, NO_TOKENS, type RunState } from "../engine/index.ts";
import { isTerminal, type RunEvent } from "../event/index.ts";
import { checkSource, type Plan } from "../plan/index.ts";
import { projectRun, projectView } from "./projection.ts";
import { reduceRun } from "./reduce.ts";
import { outlineOf } from "./run-view.ts";

const SOURCES: Readonly<Record<string, string>> = {
  diamond: `
name: diamond
steps:
  - { id: a, command: go }
  - { id: b, command: "b \${a.stdout}", on_failure: skip }
  - { id: c, command: "c \${a.stdout}", on_failure: retry }
  - { id: d, command: "d \${b.stdout} \${c.stdout}", outputs: { n: integer } }
`,
  gated: `
name: gated
args: { wanted: true }
steps:
  - { id: draft, command: go, on_failure: retry_once_then_escalate }
  - { id: release, approval: required, on_failure: skip, condition: wanted == true, depends_on: [draft] }
  - { id: publish, command: go, condition: $release.approved == true }
  - { id: never, command: go, condition: wanted == false }
`,
  each: `
name: each
steps:
  - { id: list, command: go, outputs: { items: { type: array } } }
  - { id: one, command: "\${item}", for_each: list.outputs.items, tolerate: 1, max_parallel: 2, on_failure: retry_once }
  - { id: all, command: "\${one.outputs.items}" }
`,
  parent: `
name: parent
steps:
  - { id: before, command: go }
  - { id: child, workflow_ref: other, with: { x: "\${before.stdout}" }, on_failure: skip }
  - { id: after, command: go, depends_on: [child], parallel_failure_policy: fail_fast }
  - { id: beside, command: go }
`,
  graph: `
format: lens-graph/v1
name: graph
nodes:
  - { id: p, lens_id: null, config: { template_body: hello, retry: { attempts: 2 } } }
  - { id: q, lens_id: null, config: { template_body: "[[x]]" } }
  - { id: r, lens_id: null, config: { template_body: "[[y]] [[z]]", on_parent_failure: propagate } }
edges:
  - { id: e1, source_node_id: p, target_node_id: q, target_param_label: x, condition: { type: contains, value: "1" } }
  - { id: e2, source_node_id: p, target_node_id: r, target_param_label: y }
  - { id: e3, source_node_id: q, target_node_id: r, target_param_label: z }
`,
};

function planOf(name: string): Plan {
  const checked = checkSource(SOURCES[name] ?? "", { library: null, lenses: null, workflows: null });
  expect(checked.problems).toEqual([]);
  return required(checked.plan, "the source is valid");
}

/** Something of the outside world that may happen next, picked by chance. */
type Happening = (pick: number) => Input;

/** A run driven by picks: every effect becomes things that may happen, in any order. */
class World {
  readonly log: RunEvent[] = [];
  readonly state: RunState;
  readonly #open: Happening[] = [];
  #at = 1_700_000_000_000;

  constructor(plan: Plan) {
    this.state = createRunState(plan, "run_1");
    const start = {
      type: "start",
      workflow: plan.name,
      version: 1,
      hash: "h",
      args: { wanted: true },
      trigger: "manual",
    } as const;
    this.submit({ ...this.#now(), ...start, recursionDepth: 1, parentRunId: "run_0" });
  }

  step(pick: number): void {
    const [happening] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
    if (happening !== undefined) return this.submit(happening(pick));
    if (isTerminal(this.state.status))
      this.submit({ ...this.#now(), ...AFTERWARDS[pick % AFTERWARDS.length] } as Input);
  }

  submit(input: Input): void {
    const { events, effects } = advance(this.state, input);
    this.log.push(...events);
    for (const effect of effects) this.#perform(effect);
  }

  #now(): { at: number; jitter: number } {
    this.#at += 7;
    return { at: this.#at, jitter: 0.5 };
  }

  #perform(effect: Effect): void {
    if (effect.type === "request-verdict") return this.#judge(effect);
    const happenings = happeningsOf(effect);
    this.#open.push(
      ...happenings.map((happening) => (pick: number) => ({ ...this.#now(), ...happening(pick) }) as Input),
    );
  }

  /** Most verdicts allow; some hold, some let the node wait. */
  #judge({ nodeId, epoch, grants }: Extract<Effect, { type: "request-verdict" }>): void {
    const verdictId = `v${this.#at}`;
    const kind = this.#at % 9;
    const route = {
      agentId: "default",
      gatewayId: "local",
      provider: "scripted",
      model: "m",
      executionPath: "edge",
    } as const;
    const rule = { ...ANYONE, expiresMs: 1_000 };
    const hold = {
      disposition: "hold",
      verdictId,
      gate: "approval_required",
      message: "ask",
      agentId: null,
      policies: ["p@1"],
      rule,
    } as const;
    const block = {
      disposition: "block",
      verdictId,
      gate: "agent_status",
      code: "agent_disabled",
      message: "paused",
      after: "paused",
    } as const;
    const verdict =
      kind === 1 && grants.length === 0
        ? hold
        : kind === 2
          ? block
          : ({ disposition: "allow", verdictId, route } as const);
    this.submit({ ...this.#now(), type: "verdict", nodeId, epoch, verdict });
  }
}

const AFTERWARDS = [
  { type: "recover" },
  { type: "rewind", eventId: 5, isConsumed: false },
  { type: "cancel", reason: "late" },
  { type: "pause", by: "ann" },
  { type: "resume" },
] as const;

type InputFields = Record<string, unknown>;

function happeningsOf(effect: Effect): readonly ((pick: number) => InputFields)[] {
  const report = { tokens: { ...NO_TOKENS, inputTokens: 3 }, costMicros: 11 };
  switch (effect.type) {
    case "dispatch": {
      const { nodeId, attempt } = effect;
      const callback = (result: InputFields): InputFields => ({ type: "callback", nodeId, attempt, result });
      const results: readonly InputFields[] = [
        { status: "completed", outputs: { items: ["x", "y", "z"], n: 1 }, stdout: `1 ${nodeId}`, ...report },
        { status: "completed", outputs: { items: [1], n: "2" }, stdout: "two", ...report },
        { status: "completed", outputs: { items: [], n: 3 }, stdout: "", ...report },
        { status: "failed", errorCode: "provider_error", error: "no", ...report },
        { status: "failed", errorCode: "provider_rate_limit", error: "busy", retryAfterMs: 5, ...report },
        { status: "deferred" },
        { status: "timed_out", ...report },
      ];
      return [
        (pick) => ({ type: "stream", nodeId, attempt, deltas: [{ index: pick % 3, text: "piece" }] }),
        (pick) => callback(results[pick % results.length] ?? {}),
        (pick) => callback(results[pick % 3] ?? {}),
      ];
    }
    case "set-timer":
      return [() => ({ type: "timer", timer: effect.timer })];
    case "open-approval":
      return [
        (pick) => {
          const decision = effect.choices[pick % effect.choices.length];
          return { type: "approval", approvalId: effect.approvalId, decision, by: "user:x", reason: "because" };
        },
      ];
    case "request-round-verdict":
    case "request-tool-verdict":
      return [];
    case "start-child":
      return [
        (pick) => ({
          type: "child_finished",
          nodeId: effect.nodeId,
          childRunId: effect.childRunId,
          status: pick % 3 === 0 ? "failed" : pick % 3 === 1 ? "completed" : "cancelled",
          outputs: { leaf: { text: "t" } },
          ...report,
        }),
      ];
    case "request-verdict":
    case "cancel-dispatch":
    case "close-approval":
    case "cancel-child":
    case "pause-child":
    case "notify":
    case "emit-event":
      return [];
  }
}

describe("the projection", () => {
  it.each(Object.keys(SOURCES))("of %s is the same from the state and from the events, after every input", (name) => {
    const plan = planOf(name);
    const outline = outlineOf(plan);
    const about = { workflowId: "w", runId: "run_1" };
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1_000 }), { maxLength: 60 }), (picks) => {
        const world = new World(plan);
        for (const pick of picks) {
          world.step(pick);
          expect(projectView(reduceRun(world.log, outline), about)).toEqual(projectRun(world.state, about));
        }
      }),
      { numRuns: 40 },
    );
  });

  it("counts what is in its list", () => {
    const world = new World(planOf("each"));
    for (let pick = 0; pick < 30; pick += 1) {
      world.step(pick * 7);
      const projection = projectRun(world.state, { workflowId: "w" });
      const count = (...statuses: readonly string[]): number =>
        projection.nodeResults.filter(({ status }) => statuses.includes(status)).length;
      expect(projection).toMatchObject({
        pendingCount: count("pending"),
        waitingCount: count("awaiting_dependency", "queued", "retrying", "blocked"),
        inFlightCount: count("running", "streaming"),
        executedCount: count("completed"),
        failedCount: count("failed", "timed_out"),
        costMicros: projection.nodeResults.reduce((sum, { costMicros }) => sum + costMicros, 0),
      });
    }
  });
});
