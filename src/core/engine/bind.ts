import { bindLens } from "./bind-lens.ts";
import { bindStep } from "./bind-step.ts";
import type { Binding } from "./binding.ts";
import { planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** A node's inputs as they are now; the same state always gives the same binding. */
export function bind(state: RunState, node: NodeState): Binding {
  const planNode = planNodeOf(state, node);
  const { body } = planNode;
  return body.kind === "step" ? bindStep(state, node, planNode, body) : bindLens(state, node, planNode, body);
}
