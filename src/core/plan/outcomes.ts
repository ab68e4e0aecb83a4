import { required } from "../base/index.ts";
import type { Step } from "../definition/index.ts";
import type { Order } from "./order.ts";
import type { PlanNode } from "./plan.ts";

/** The outcomes that a node requires of its parents, and its dependents that do not require its success. */
export type NodeOutcomes = Pick<PlanNode, "outcomes" | "join" | "tolerantDependents" | "hasFailureHandler">;

/** A node that requires all parents to complete, and whose failure no other node handles. */
const PLAIN: NodeOutcomes = { outcomes: new Map(), join: null, tolerantDependents: [], hasFailureHandler: false };

/** Returns the outcomes of every node in plan order. Plain graphs share one object. */
export function outcomesOf(order: Order, steps: readonly Pick<Step, "outcomes" | "join">[]): readonly NodeOutcomes[] {
  const isPlain = steps.every((step) => step.outcomes === undefined && step.join === undefined);
  if (isPlain) return steps.map(() => PLAIN);
  const own = steps.map(({ outcomes = {}, join = null }) => ({
    outcomes: new Map(
      Object.entries(outcomes).map(([id, outcome]) => [required(order.indexById.get(id), "a known step"), outcome]),
    ),
    join,
  }));
  const ownOf = (dependent: number) => required(own[dependent], "a dependent is a node");
  return own.map((each, index) => {
    const dependents = required(order.dependents[index], "every node has dependents");
    const tolerantDependents = dependents.filter((dependent) => {
      const { outcomes, join } = ownOf(dependent);
      return join !== null || outcomes.has(index);
    });
    const hasFailureHandler = tolerantDependents.some((dependent) => {
      const { outcomes, join } = ownOf(dependent);
      return join !== null || outcomes.get(index) === "failure";
    });
    return { ...each, tolerantDependents, hasFailureHandler };
  });
}
