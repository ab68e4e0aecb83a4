import { isSettled, isTerminal } from "../../../src/core/event/index.ts";
import { type Dispatch, findNode, type Input } from "../../../src/core/engine/index.ts";
import type { Plan } from "../../../src/core/plan/index.ts";
import { REAL_ENGINE } from "../engine.ts";
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
    options: () => tamper(({ effects }) => ({ effects: effects.filter((it) => it.type !== "set-timer" || it.timer.kind !== "retry") })),
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
    bug: "a restart carries everything that completed, needed or not",
    options: () => withEngine({ restartFrom: (state) => REAL_ENGINE.branchFrom(state) }),
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
            const told = { type: "child_finished", nodeId: node.id, childRunId, attempt, status: "cancelled" } as const;
            events.push(...REAL_ENGINE.advance(state, { ...told, outputs: {}, costMicros: 0, tokens, at, jitter }).events);
          }
          return { ...result, events };
        },
      }),
  },
];

function allowInstead(input: Input): Input {
  if (input.type !== "verdict" || input.verdict.disposition !== "hold") return input;
  const route = { agentId: input.verdict.agentId, gatewayId: "gw", provider: null, model: null, executionPath: null };
  return { ...input, verdict: { disposition: "allow", verdictId: input.verdict.verdictId, route } };
}

let lastDispatch: Dispatch | null = null;

export const SPEECH_MUTANTS: readonly Mutant[] = [
  {
    invariant: "E11",
    bug: "a node skipped for its condition starts",
    options: () =>
      tamper(({ state, input, events }) => {
        const skipped = events.at(-1);
        if (skipped?.type !== "node.skipped" || skipped.payload.reason !== "condition_false") return null;
        const nowhere = { agentId: null, gatewayId: null, provider: null, model: null, verdictId: null, executionPath: null };
        const payload = { nodeId: skipped.payload.nodeId, attempt: 1, wave: 0, ...nowhere };
        return { events: withExtra(events, state, input.at, { type: "node.started", payload }) };
      }),
  },
  {
    invariant: "E12",
    bug: "a cancel is followed by one more dispatch",
    options: () =>
      tamper(({ input, effects, events }) => {
        lastDispatch = effects.find((effect) => effect.type === "dispatch") ?? lastDispatch;
        if (input.type !== "cancel" || events.length === 0 || lastDispatch === null) return null;
        return { effects: [...effects, lastDispatch] };
      }),
  },
  {
    invariant: "E13",
    bug: "an id is left out",
    options: () =>
      tamper(({ events }) => {
        const last = events.at(-1);
        return last === undefined || events.length < 3 ? null : { events: [...events.slice(0, -1), { ...last, eventId: last.eventId + 1 }] };
      }),
  },
  {
    invariant: "E13",
    bug: "a written event is changed afterwards",
    options: () => {
      let first: { costMicros: number } | null = null;
      return tamper(({ events }) => {
        for (const event of events) if (event.type === "node.completed") first ??= event.payload;
        if (first !== null && events.at(-1)?.type === "run.completed") first.costMicros += 1;
        return null;
      });
    },
  },
  {
    invariant: "E14",
    bug: "late cost is forgotten",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "cost.recorded", (event) =>
          event.payload.late === true ? { ...event, payload: { ...event.payload, costMicros: 0 } } : event,
        ),
      })),
  },
  {
    invariant: "E18",
    bug: "deltas are numbered within the attempt",
    options: () =>
      tamper(({ events, input }) => ({
        events: rewrite(events, "node.stream.delta", (event) => {
          const index = input.type === "stream" ? (input.deltas[0]?.index ?? 0) : 0;
          return { ...event, payload: { ...event.payload, deltaIndex: index } };
        }),
      })),
  },
  {
    invariant: "table",
    bug: "a backoff ends in failure",
    options: () =>
      tamper(({ events, input }) => {
        if (input.type !== "timer" || input.timer.kind !== "retry") return null;
        return {
          events: rewrite(events, "node.queued", ({ eventId, at, payload: { nodeId } }) => {
            const payload = { nodeId, errorCode: "timeout", errorMessage: "no", retryable: false };
            return { eventId, at, type: "node.failed", payload };
          }),
        };
      }),
  },
  {
    invariant: "schema",
    bug: "a start does not say its wave",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.started", (event) => ({ ...event, payload: { ...event.payload, wave: -1 } })),
      })),
  },
  {
    invariant: "ending",
    bug: "a failed run calls itself completed",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "run.failed", ({ eventId, at, payload: { counts, costMicros } }) => ({
          eventId,
          at,
          type: "run.completed",
          payload: { counts, costMicros },
        })),
      })),
  },
  {
    invariant: "approvals",
    bug: "an answer is not recorded",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "approval.resolved", ({ eventId, at, payload: { nodeId } }) => {
          const payload = { nodeId, level: "info", message: "answered" } as const;
          return { eventId, at, type: "node.log", payload };
        }),
      })),
  },
  {
    invariant: "retry",
    bug: "backoff is too short",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.retried", (event) => {
          const delayMs = Math.floor(event.payload.delayMs / 2);
          return { ...event, payload: { ...event.payload, delayMs } };
        }),
      })),
  },
];

function ungated(plan: Plan): Plan {
  return { ...plan, nodes: plan.nodes.map((node) => (node.kind === "gate" ? node : { ...node, approval: null })) };
}

export const RULE_MUTANTS: readonly Mutant[] = [
  {
    invariant: "rewind",
    bug: "a rewind goes one event too far",
    options: () =>
      withEngine({
        advance: (state, input) =>
          REAL_ENGINE.advance(state, input.type === "rewind" ? { ...input, eventId: Math.max(1, input.eventId - 8) } : input),
      }),
  },
  {
    invariant: "gate",
    bug: "the human gate of a step is not waited for",
    options: () =>
      withEngine({
        create: (plan, runId) => REAL_ENGINE.create(ungated(plan), runId),
        replay: (plan, runId, events) => REAL_ENGINE.replay(ungated(plan), runId, events),
      }),
  },
  {
    invariant: "noise",
    bug: "a report about an unknown node is written down",
    options: () =>
      tamper(({ state, input, events }) => {
        if (input.type !== "callback" || input.nodeId !== "nobody") return null;
        const payload = { nodeId: "nobody", level: "info", message: "who?" } as const;
        return { events: withExtra(events, state, input.at, { type: "node.log", payload }) };
      }),
  },
  {
    invariant: "stop",
    bug: "a halt leaves the nodes that wait",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.cancelled", (event) => {
          if (event.payload.reason !== "run_halted") return event;
          const { eventId, at, payload } = event;
          return { eventId, at, type: "node.log", payload: { nodeId: payload.nodeId, level: "info", message: "left" } };
        }),
      })),
  },
  {
    invariant: "parallel",
    bug: "the run's own limit is off by one",
    options: () =>
      withEngine({
        create: (plan, runId) => REAL_ENGINE.create({ ...plan, maxParallel: plan.maxParallel + 1 }, runId),
        replay: (plan, runId, events) => REAL_ENGINE.replay({ ...plan, maxParallel: plan.maxParallel + 1 }, runId, events),
      }),
  },
  {
    invariant: "for_each",
    bug: "a tolerated failure is left out of the items",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.completed", (event) => {
          const { items } = event.payload.outputs;
          if (!Array.isArray(items)) return event;
          const outputs = { ...event.payload.outputs, items: items.filter((item) => item !== null) };
          return { ...event, payload: { ...event.payload, outputs } };
        }),
      })),
  },
];

export const WORLD_MUTANTS: readonly Mutant[] = [
  { invariant: "E15", bug: "one slot too many is granted", options: () => ({ bugs: { grantsTooMany: true } }) },
  { invariant: "E16", bug: "nothing is reserved at admission", options: () => ({ bugs: { forgetsReservation: true } }) },
];
