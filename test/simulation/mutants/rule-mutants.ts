import type { ApprovalRule } from "../../../src/core/definition/index.ts";
import type { Plan } from "../../../src/core/plan/index.ts";
import { REAL_ENGINE } from "../engine.ts";
import { type Mutant, rewrite, tamper, withEngine, withExtra } from "./mutant.ts";

function ungated(plan: Plan): Plan {
  return { ...plan, nodes: plan.nodes.map((node) => (node.kind === "gate" ? node : { ...node, approval: null })) };
}

function asking(plan: Plan, rule: Partial<ApprovalRule>): Plan {
  const nodes = plan.nodes.map((node) =>
    node.approval === null ? node : { ...node, approval: { ...node.approval, ...rule } },
  );
  return { ...plan, nodes };
}

export const RULE_MUTANTS: readonly Mutant[] = [
  {
    invariant: "rewind",
    bug: "a rewind goes one event too far",
    options: () =>
      withEngine({
        advance: (state, input) =>
          REAL_ENGINE.advance(
            state,
            input.type === "rewind" ? { ...input, eventId: Math.max(1, input.eventId - 8) } : input,
          ),
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
    invariant: "people",
    bug: "one person is enough, however many have to approve",
    options: () =>
      withEngine({
        create: (plan, runId) => REAL_ENGINE.create(asking(plan, { quorum: 1 }), runId),
        replay: (plan, runId, events) => REAL_ENGINE.replay(asking(plan, { quorum: 1 }), runId, events),
      }),
  },
  {
    invariant: "people",
    bug: "a person answers whom no author asks",
    options: () =>
      withEngine({
        advance(state, input) {
          if (input.type !== "approval") return REAL_ENGINE.advance(state, input);
          const { as: _names, ...unchecked } = input;
          return REAL_ENGINE.advance(state, unchecked);
        },
      }),
  },
  {
    invariant: "people",
    bug: "the second answer of a person counts",
    options: () =>
      withEngine({
        advance: (state, input) =>
          REAL_ENGINE.advance(
            state,
            input.type === "approval" ? { ...input, personId: `${input.by} ${input.at}` } : input,
          ),
      }),
  },
  {
    invariant: "changes",
    bug: "what a person has entered or changed is forgotten",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.completed", (event) => ({
          ...event,
          payload: { ...event.payload, outputs: { ...event.payload.outputs, v: -1 } },
        })),
      })),
  },
  {
    invariant: "noise",
    bug: "a report about an unknown node is written down",
    options: () =>
      tamper(({ state, input, events }) => {
        if (input.type !== "callback" || input.nodeId !== "no_such_node") return null;
        const payload = { nodeId: "no_such_node", level: "info", message: "who?" } as const;
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
        replay: (plan, runId, events) =>
          REAL_ENGINE.replay({ ...plan, maxParallel: plan.maxParallel + 1 }, runId, events),
      }),
  },
  {
    invariant: "lane",
    bug: "lanes of a team are forgotten",
    options: () =>
      withEngine({
        create: (plan, runId) => REAL_ENGINE.create(withoutLanes(plan), runId),
        replay: (plan, runId, events) => REAL_ENGINE.replay(withoutLanes(plan), runId, events),
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
  {
    invariant: "for_each",
    bug: "instances continue after the node can only fail",
    options: () =>
      tamper(({ events, state }) => ({
        events: rewrite(events, "node.cancelled", (event) => {
          const { nodeId, reason } = event.payload;
          if (reason !== "cancelled_by_sibling" || state.ending !== null) return event;
          const payload = { nodeId, level: "info", message: "continues" } as const;
          return { eventId: event.eventId, at: event.at, type: "node.log", payload };
        }),
      })),
  },
  {
    invariant: "for_each",
    bug: "a list whose step is to fail fast waits for its tolerance",
    options: () =>
      withEngine({
        create: (plan, runId) => REAL_ENGINE.create(withoutHaste(plan), runId),
        replay: (plan, runId, events) => REAL_ENGINE.replay(withoutHaste(plan), runId, events),
      }),
  },
];

export const STATUS_MUTANTS: readonly Mutant[] = [
  {
    invariant: "status",
    bug: "a run says twice that it left the queue",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "run.status.changed", (event) => {
          const { to } = event.payload;
          return to === "running" ? event : { ...event, payload: { ...event.payload, from: "queued" } };
        }),
      })),
  },
  {
    invariant: "status",
    bug: "winding down is said by a status that changes to itself",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "run.ending", ({ eventId, at, payload: { reason } }) => {
          const payload = { from: "running", to: "running", epoch: 0, reason: "halting", detail: reason } as const;
          return { eventId, at, type: "run.status.changed", payload };
        }),
      })),
  },
  {
    invariant: "ending",
    bug: "a halt says that it will end as cancelled",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "run.ending", (event) => ({
          ...event,
          payload: { ...event.payload, as: "cancelled" },
        })),
      })),
  },
  {
    invariant: "skip",
    bug: "on_failure: skip is forgotten while the run halts",
    options: () =>
      tamper(({ state, events }) => ({
        events: rewrite(events, "node.skipped", (event) => {
          if (event.payload.reason !== "on_failure" || state.ending === null) return event;
          const { nodeId, errorCode = "", errorMessage = "" } = event.payload;
          const payload = { nodeId, errorCode, errorMessage, retryable: false };
          return { eventId: event.eventId, at: event.at, type: "node.failed", payload };
        }),
      })),
  },
];

export const WORLD_MUTANTS: readonly Mutant[] = [
  {
    invariant: "places",
    bug: "a run that is to wait for a place begins",
    options: () =>
      withEngine({
        advance(state, input) {
          if (input.type !== "start" || input.place === undefined || "failure" in input.place)
            return REAL_ENGINE.advance(state, input);
          return REAL_ENGINE.advance(state, { ...input, place: { ...input.place, standing: "held" } });
        },
      }),
  },
  {
    invariant: "places",
    bug: "a run that was admitted does not begin",
    options: () =>
      withEngine({
        advance: (state, input) =>
          input.type === "admit" ? { events: [], effects: [] } : REAL_ENGINE.advance(state, input),
      }),
  },
  { invariant: "E15", bug: "one slot too many is granted", options: () => ({ bugs: { grantsTooMany: true } }) },
  {
    invariant: "E16",
    bug: "nothing is reserved at admission",
    options: () => ({ bugs: { forgetsReservation: true } }),
  },
];

function withoutHaste(plan: Plan): Plan {
  return { ...plan, nodes: plan.nodes.map((node) => (node.forEach === null ? node : { ...node, isFailFast: false })) };
}

function withoutLanes(plan: Plan): Plan {
  const nodes = plan.nodes.map((node) => {
    if (node.duty === null) return node;
    const candidates = node.duty.candidates.map((candidate) => ({ ...candidate, lane: null }));
    return { ...node, duty: { ...node.duty, candidates } };
  });
  return { ...plan, nodes };
}
