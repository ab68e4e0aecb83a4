import { bindLens } from "./bind-lens.ts";
import { bindStep, findingsOfList, findingsOfWith } from "./bind-step.ts";
import { type Binding, type Findings, NO_FINDINGS } from "./binding.ts";
import type { BoundRequest } from "./effect.ts";
import { findNode, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";

/** A node's inputs as they are now; the same state always gives the same binding. */
export function bind(state: RunState, node: NodeState): Binding {
  const planNode = planNodeOf(state, node);
  const { body } = planNode;
  return body.kind === "step" ? bindStep(state, node, planNode, body) : bindLens(state, node, planNode, body);
}

/** Where the args of a child run come from, as `with.arg`; the constants of a lens node's `with` win over its inputs. */
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

/** Where the list of a node comes from that is done once per element. */
export function findingsOfElements(state: RunState, node: NodeState): Findings {
  const { body, forEach } = planNodeOf(state, node);
  return body.kind === "step" && forEach !== null ? findingsOfList(state, node, body, forEach.list) : NO_FINDINGS;
}

/** What a node would be sent in this state; nothing when it cannot be bound. */
export function requestOf(state: RunState, nodeId: string): BoundRequest | undefined {
  const node = findNode(state, nodeId);
  const binding = node === undefined ? undefined : bind(state, node);
  return binding?.kind === "bound" ? binding.request : undefined;
}
