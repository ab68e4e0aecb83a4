import type { Plan } from "../../../src/core/plan/index.ts";
import { REAL_ENGINE } from "../engine.ts";
import { type Mutant, rewrite, tamper, withEngine } from "./mutant.ts";

function withPlans(change: (plan: Plan) => Plan) {
  return withEngine({
    create: (plan, runId) => REAL_ENGINE.create(change(plan), runId),
    replay: (plan, runId, events) => REAL_ENGINE.replay(change(plan), runId, events),
  });
}

/** Steps that set, as if an agent were asked. */
function asked(plan: Plan): Plan {
  const nodes = plan.nodes.map((node) =>
    node.kind === "set" ? { ...node, kind: "agent" as const, work: null } : node,
  );
  return { ...plan, nodes };
}

export const VALUE_MUTANTS: readonly Mutant[] = [
  {
    invariant: "set",
    bug: "what only calculates is sent to an agent",
    options: () => withPlans(asked),
  },
  {
    invariant: "set",
    bug: "a text that is one reference loses its type",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.completed", (event) => {
          const { twice } = event.payload.outputs;
          if (typeof twice !== "number") return event;
          return {
            ...event,
            payload: { ...event.payload, outputs: { ...event.payload.outputs, twice: String(twice) } },
          };
        }),
      })),
  },
  {
    invariant: "outputs",
    bug: "the outputs of the document are forgotten",
    options: () => withPlans((plan) => ({ ...plan, outputs: null })),
  },
  {
    invariant: "outputs",
    bug: "outputs that cannot be found are left out",
    options: () =>
      withPlans((plan) => {
        if (plan.outputs === null) return plan;
        const fields = plan.outputs.fields.filter(({ name }) => name !== "lost");
        return { ...plan, outputs: { ...plan.outputs, fields } };
      }),
  },
  {
    invariant: "end",
    bug: "a step that cancels the run completes it",
    options: () =>
      withPlans((plan) => ({
        ...plan,
        nodes: plan.nodes.map((node) =>
          node.work?.kind === "cancel" ? { ...node, work: { kind: "cancel", as: "completed" } } : node,
        ),
      })),
  },
];
