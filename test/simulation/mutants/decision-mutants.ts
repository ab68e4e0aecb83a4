import { isSettled, isTerminal } from "../../../src/core/event/index.ts";
import { findNode, type Input, type RunState } from "../../../src/core/engine/index.ts";
import type { Plan } from "../../../src/core/plan/index.ts";
import { REAL_ENGINE } from "../engine.ts";
import type { ScheduleOptions } from "../schedule.ts";
import { type Mutant, rewrite, tamper, withEngine, withExtra } from "./mutant.ts";

/** A plan in which the last node with a parent has lost its last parent. */
function forgetParent(plan: Plan): Plan {
  const target = plan.nodes.findLast((node) => node.parents.length > 0);
  const lost = target?.parents.at(-1);
  if (target === undefined || lost === undefined) return plan;
  const nodes = plan.nodes.map((node) => {
    if (node === target) return { ...node, parents: node.parents.slice(0, -1) };
    if (node.index === lost) return { ...node, dependents: node.dependents.filter((index) => index !== target.index) };
    return node;
  });
  return { ...plan, nodes };
}

const plans = new WeakMap<Plan, Plan>();
function mutilated(plan: Plan): Plan {
  const known = plans.get(plan) ?? forgetParent(plan);
  plans.set(plan, known);
  return known;
}

/** The stale-attempt guard is gone: any report counts for the attempt that is open. */
function believeLateReports(input: Input, open: number): Input {
  return input.type === "callback" && open > 0 && input.attempt < open ? { ...input, attempt: open } : input;
}

export const DECISION_MUTANTS: readonly Mutant[] = [
  {
    invariant: "E1",
    bug: "one parent of one node is not waited for",
    options: () =>
      withEngine({
        create: (plan, runId) => REAL_ENGINE.create(mutilated(plan), runId),
        replay: (plan, runId, events) => REAL_ENGINE.replay(mutilated(plan), runId, events),
      }),
  },
  {
    invariant: "E2",
    bug: "a late report fails a node that has settled",
    options: () =>
      tamper(({ state, input, events }) => {
        const node = input.type === "callback" ? findNode(state, input.nodeId) : undefined;
        if (node === undefined || events.length > 0 || !isSettled(node.now.status)) return null;
        const payload = { nodeId: node.id, errorCode: "provider_error", errorMessage: "late", retryable: false };
        return { events: withExtra(events, state, input.at, { type: "node.failed", payload }) };
      }),
  },
  {
    invariant: "E3",
    bug: "an admission opens two attempts",
    options: () =>
      tamper(({ state, input, events }) => {
        const started = events.find((event) => event.type === "node.started");
        if (started?.type !== "node.started") return null;
        const payload = { ...started.payload, attempt: (started.payload.attempt ?? 0) + 1 };
        return { events: withExtra(events, state, input.at, { type: "node.started", payload }) };
      }),
  },
  {
    invariant: "E4",
    bug: "reports of earlier attempts are believed",
    options: () =>
      withEngine({
        advance(state, input) {
          const now = input.type === "callback" ? findNode(state, input.nodeId)?.now : undefined;
          const open = now?.status === "running" || now?.status === "streaming" ? now.attempt : 0;
          return REAL_ENGINE.advance(state, believeLateReports(input, open));
        },
      }),
  },
  {
    invariant: "E4",
    bug: "a second report of the same attempt is booked again",
    options: () =>
      tamper(({ state, input, events }) => {
        if (input.type !== "callback" || input.result.status === "deferred" || events.length > 0) return null;
        const { nodeId, attempt, result } = input;
        const payload = { nodeId, attempt, costMicros: result.costMicros, tokens: result.tokens, late: true };
        return { events: withExtra(events, state, input.at, { type: "cost.recorded", payload }) };
      }),
  },
  {
    invariant: "E5",
    bug: "a finished run still writes to its log",
    options: () =>
      tamper(({ state, input, events }) => {
        if (!isTerminal(state.status) || events.length > 0 || input.type === "start") return null;
        const nodeId = state.nodes[0]?.id ?? "";
        const payload = { nodeId, level: "info", message: "hello" } as const;
        return { events: withExtra(events, state, input.at, { type: "node.log", payload }) };
      }),
  },
  {
    invariant: "E6",
    bug: "the end of a backoff is not set",
    options: () =>
      tamper(({ effects }) => ({
        effects: effects.filter((it) => it.type !== "set-timer" || it.timer.kind !== "retry"),
      })),
  },
  {
    invariant: "E6",
    bug: "the end of a child run is not noticed",
    options: () =>
      withEngine({
        advance: (state, input) =>
          input.type === "child_finished" ? { events: [], effects: [] } : REAL_ENGINE.advance(state, input),
      }),
  },
  {
    invariant: "E10",
    bug: "a restart forgets one result it should carry",
    options: () => withEngine({ restartFrom: (state, named) => REAL_ENGINE.restartFrom(state, named).slice(1) }),
  },
  {
    invariant: "E10",
    bug: "a restart carries the node it is to start from",
    options: () => withEngine({ restartFrom: (state) => REAL_ENGINE.branchFrom(state) }),
  },
  {
    invariant: "edits",
    bug: "a node is asked what its step says, not what a person wrote",
    options: () =>
      withEngine({
        apply(state, event) {
          REAL_ENGINE.apply(state, event);
          if (event.type === "run.started") state.prompts = {};
        },
        advance(state, input) {
          const result = REAL_ENGINE.advance(state, input);
          state.prompts = {};
          return result;
        },
      }),
  },
  {
    invariant: "E17",
    bug: "a hold is taken for an allowance",
    options: () => withEngine({ advance: (state, input) => REAL_ENGINE.advance(state, allowInstead(input)) }),
  },
  {
    invariant: "E19",
    bug: "a cancelled run does not wait for its child runs",
    options: () =>
      withEngine({
        advance(state, input) {
          const result = REAL_ENGINE.advance(state, input);
          if (input.type !== "cancel") return result;
          const events = [...result.events];
          for (const node of state.nodes) {
            if (node.now.status !== "running" || node.now.childRunId === null) continue;
            const { childRunId, attempt } = node.now;
            const { at, jitter } = input;
            const tokens = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
            const report = {
              type: "child_finished",
              nodeId: node.id,
              childRunId,
              attempt,
              status: "cancelled",
            } as const;
            events.push(
              ...REAL_ENGINE.advance(state, { ...report, outputs: {}, costMicros: 0, tokens, at, jitter }).events,
            );
          }
          return { ...result, events };
        },
      }),
  },
  {
    invariant: "E21",
    bug: "what a child run spends after its end is not recorded",
    options: () => ignoring((state, { childRunId }) => !state.liveChildren.has(childRunId)),
  },
  {
    invariant: "E21",
    bug: "a run that is over takes no reports of its child runs",
    options: () => ignoring((state) => isTerminal(state.status)),
  },
  {
    invariant: "E21",
    bug: "all a child run has cost is recorded with each of its reports",
    options: () =>
      tamper(({ input, events }) => {
        if (input.type !== "child_finished") return null;
        const { costMicros } = input;
        return {
          events: rewrite(events, "cost.recorded", (event) => ({
            ...event,
            payload: { ...event.payload, costMicros },
          })),
        };
      }),
  },
];

/** Some reports of child runs are ignored. */
function ignoring(isIgnored: (state: RunState, input: ChildFinished) => boolean): ScheduleOptions {
  return withEngine({
    advance: (state, input) =>
      input.type === "child_finished" && isIgnored(state, input)
        ? { events: [], effects: [] }
        : REAL_ENGINE.advance(state, input),
  });
}

type ChildFinished = Extract<Input, { readonly type: "child_finished" }>;

function allowInstead(input: Input): Input {
  if (input.type !== "verdict" || input.verdict.disposition !== "hold") return input;
  const route = { agentId: input.verdict.agentId, gatewayId: "gw", provider: null, model: null, executionPath: null };
  return { ...input, verdict: { disposition: "allow", verdictId: input.verdict.verdictId, route } };
}
