import type { Plan, PlanNode } from "../../../src/core/plan/index.ts";
import { REAL_ENGINE } from "../engine.ts";
import { type Mutant, rewrite, tamper, withEngine, withExtra } from "./mutant.ts";

function withNodes(change: (node: PlanNode) => PlanNode) {
  const changed = (plan: Plan): Plan => ({ ...plan, nodes: plan.nodes.map(change) });
  return withEngine({
    create: (plan, runId) => REAL_ENGINE.create(changed(plan), runId),
    replay: (plan, runId, events) => REAL_ENGINE.replay(changed(plan), runId, events),
  });
}

export const OUTCOME_MUTANTS: readonly Mutant[] = [
  {
    invariant: "E1",
    bug: "a join starts one parent too early",
    options: () =>
      withNodes((node) =>
        node.join === null || node.join.count === 1
          ? node
          : { ...node, join: { ...node.join, count: node.join.count - 1 } },
      ),
  },
  {
    invariant: "E1",
    bug: "a handler runs although nothing has failed",
    options: () =>
      withNodes((node) => ({ ...node, outcomes: new Map([...node.outcomes].map(([parent]) => [parent, "settled"])) })),
  },
  {
    invariant: "E1",
    bug: "a join gives up while it can still be reached",
    options: () =>
      withNodes((node) =>
        node.join === null ? node : { ...node, join: { ...node.join, count: node.parents.length + 1 } },
      ),
  },
  {
    invariant: "handling",
    bug: "a step ends the run before its handlers have run",
    options: () => withNodes((node) => ({ ...node, tolerantDependents: [] })),
  },
  {
    invariant: "handling",
    bug: "that a failure was handled is not recorded",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.handled", ({ eventId, at, payload }) => ({
          eventId,
          at,
          type: "node.log",
          payload: { nodeId: payload.nodeId, level: "info", message: "handled" },
        })),
      })),
  },
  {
    invariant: "handling",
    bug: "a failure no handler has made up for is forgotten",
    options: () =>
      withNodes((node) => (node.tolerantDependents.length === 0 ? node : { ...node, onFailure: "isolate" })),
  },
  {
    invariant: "ending",
    bug: "a handled failure fails the run",
    options: () =>
      withEngine({
        advance(state, input) {
          for (const node of state.nodes) node.isHandled = false;
          return REAL_ENGINE.advance(state, input);
        },
      }),
  },
  {
    invariant: "join",
    bug: "a race leaves the losers running",
    options: () =>
      withNodes((node) => (node.join === null ? node : { ...node, join: { ...node.join, isRace: false } })),
  },
  {
    invariant: "join",
    bug: "a join reads a parent it has not counted",
    options: () =>
      tamper(({ state, input, events }) => {
        const node = state.nodes.find(({ counted }) => counted !== null);
        const parents = node === undefined ? [] : (state.plan.nodes[node.planIndex]?.parents ?? []);
        const other = parents.find((parent) => node?.counted?.has(parent) === false);
        const source = other === undefined ? undefined : state.nodes[other];
        if (node === undefined || source === undefined || events.length === 0) return null;
        const payload = {
          nodeId: node.id,
          sourceRunId: state.runId,
          sourceNodeId: source.id,
          sourceOutputPath: "stdout",
          targetInputPath: "command",
        };
        return { events: withExtra(events, state, input.at, { type: "node.provenance", payload }) };
      }),
  },
  {
    invariant: "join",
    bug: "a block is given a parent that its join did without",
    options: () =>
      tamper(({ state, effects }) => ({
        effects: effects.map((effect) => {
          const node = effect.type === "start-child" ? state.nodes.find(({ id }) => id === effect.nodeId) : undefined;
          const parents = node === undefined ? [] : (state.plan.nodes[node.planIndex]?.parents ?? []);
          const other = parents.find((parent) => node?.counted?.has(parent) === false);
          const source = other === undefined ? undefined : state.nodes[other];
          if (effect.type !== "start-child" || source === undefined) return effect;
          return { ...effect, args: { ...effect.args, [source.id]: { n: 1 } } };
        }),
      })),
  },
  {
    invariant: "join",
    bug: "the losers of a race are not called off",
    options: () =>
      tamper(({ events, effects }) => {
        const isRace = events.some((event) => event.type === "node.skipped" && event.payload.reason === "race_lost");
        return isRace ? { effects: effects.filter(({ type }) => !type.startsWith("cancel-")) } : null;
      }),
  },
  {
    invariant: "E10",
    bug: "a join that is done runs again for every parent",
    options: () =>
      withEngine({
        restartFrom: (state, named) =>
          REAL_ENGINE.restartFrom(state, named).filter((carried) => !("counted" in carried)),
      }),
  },
];
