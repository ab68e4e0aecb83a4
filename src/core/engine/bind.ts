import { bindLens } from "./bind-lens.ts";
import { bindStep } from "./bind-step.ts";
import type { Binding } from "./binding.ts";
import type { BoundRequest } from "./effect.ts";
import { findNode, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** A node's inputs as they are now; the same state always gives the same binding. */
export function bind(state: RunState, node: NodeState): Binding {
  const planNode = planNodeOf(state, node);
  const { body } = planNode;
  return body.kind === "step" ? bindStep(state, node, planNode, body) : bindLens(state, node, planNode, body);
}

/** What a node would be sent in this state; nothing when it cannot be bound. */
export function requestOf(state: RunState, nodeId: string): BoundRequest | undefined {
  const node = findNode(state, nodeId);
  const binding = node === undefined ? undefined : bind(state, node);
  return binding?.kind === "bound" ? binding.request : undefined;
}
