import { bindLens } from "./bind-lens.ts";
import { bindStep, findingsOfList, findingsOfWith } from "./bind-step.ts";
import { type Binding, type Findings, NO_FINDINGS } from "./binding.ts";
import type { BoundRequest } from "./effect.ts";
import { findNode, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** Binds the inputs of a node. The same state always gives the same binding. */
export function bind(state: RunState, node: NodeState): Binding {
  const planNode = planNodeOf(state, node);
  const { body } = planNode;
  return body.kind === "step" ? bindStep(state, node, planNode, body) : bindLens(state, node, planNode, body);
}

/** Returns the origins of a child run's args, as `with.arg`. Constants in a lens node's `with` take precedence over its inputs. */
export function findingsOfChild(state: RunState, node: NodeState): Findings {
  const planNode = planNodeOf(state, node);
  const { body } = planNode;
  if (body.kind === "step") return findingsOfWith(state, node, body);
  const binding = bindLens(state, node, planNode, body);
  if (binding.kind !== "bound") return NO_FINDINGS;
  const used = binding.handoffs.filter(({ targetInputPath }) => !Object.hasOwn(body.with, targetInputPath));
  const handoffs = used.map((handoff) => ({ ...handoff, targetInputPath: `with.${handoff.targetInputPath}` }));
  return { handoffs, warnings: binding.warnings };
}

/** Returns the origin of the list of a `for_each` node. */
export function findingsOfElements(state: RunState, node: NodeState): Findings {
  const { body, forEach } = planNodeOf(state, node);
  return body.kind === "step" && forEach !== null ? findingsOfList(state, node, body, forEach.list) : NO_FINDINGS;
}

/** Returns the request a node would send in this state, or undefined when it cannot be bound. */
export function requestOf(state: RunState, nodeId: string): BoundRequest | undefined {
  const node = findNode(state, nodeId);
  const binding = node === undefined ? undefined : bind(state, node);
  return binding?.kind === "bound" ? binding.request : undefined;
}
