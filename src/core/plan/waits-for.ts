import { nodeAt } from "./describe.ts";
import type { Plan, PlanNode } from "./plan.ts";

const PREFIXES = { success: "", failure: "failure of ", settled: "any end of " } as const;

/** Describes the parents that a node waits for: `any of a, failure of pay`. Empty when it waits for none. */
export function waitsForText(plan: Plan, { parents, outcomes, join }: PlanNode): string {
  if (parents.length === 0) return "";
  const named = parents.map((parent) => `${PREFIXES[outcomes.get(parent) ?? "success"]}${nodeAt(plan, parent).id}`);
  const count = join === null ? "" : `${join.isRace ? "a race for " : ""}${join.count === 1 ? "any" : join.count} of `;
  return `${count}${named.join(", ")}`;
}
