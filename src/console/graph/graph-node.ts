import type { PlanDescription } from "../../client/index.ts";
import type { GroupableNode } from "../../core/graph/layout/index.ts";
import type { NodeView, PlanOutline } from "../../core/view/index.ts";

/** A node as the canvas draws it. */
export interface GraphNode extends GroupableNode {
  readonly label: string;
  readonly kind: string;
  /** Icon, when it differs from the icon of the kind. */
  readonly icon?: string;
}

/** Source of node states for the canvas. A changed view is a new object, so that cards compare by identity. */
export interface GraphSource {
  /** Calls back when one of these nodes changes, or when any node changes if no ids are passed. Returns a function that stops it. */
  readonly onNodes: (listener: () => void, ids?: readonly string[]) => () => void;
  readonly node: (id: string) => NodeView | undefined;
  /** Values passed from one node to another, as `path → path`. */
  readonly handoffs: (source: string, target: string) => readonly string[];
  /** Whether a block of the node can be shown. */
  readonly hasBlock: (id: string) => boolean;
  /** Moment that is shown, in epoch milliseconds. Null for the present. */
  readonly shownAt: () => number | null;
}

const NOTHING: readonly string[] = [];

/** Source for a plan that is not run. No node has a state, and the same empty objects are returned each time. */
export const NO_SOURCE: GraphSource = {
  onNodes: () => () => undefined,
  node: () => undefined,
  handoffs: () => NOTHING,
  hasBlock: () => false,
  shownAt: () => null,
};

export interface GraphDetails {
  readonly labels?: ReadonlyMap<string, string>;
  readonly instances?: ReadonlyMap<string, readonly string[]>;
}

/** Converts the nodes of a plan that the API describes. */
export function graphNodesOf(plan: PlanDescription, { labels, instances }: GraphDetails = {}): readonly GraphNode[] {
  return plan.nodes.map((node) => ({
    id: node.id,
    label: labels?.get(node.id) ?? node.label,
    kind: node.kind,
    wave: node.wave,
    phase: node.phase,
    parents: node.dependsOn,
    instances: instances?.get(node.id) ?? [],
  }));
}

/** Returns the nodes of a run from its plan, or only with name and layer when the plan is unknown. */
export function outlinedNodesOf(
  outlined: PlanOutline["nodes"],
  plan: PlanDescription | null,
  instances: ReadonlyMap<string, readonly string[]>,
): readonly GraphNode[] {
  if (plan !== null)
    return graphNodesOf(plan, { instances, labels: new Map(outlined.map(({ id, label }) => [id, label])) });
  return outlined.map(({ id, label, wave }) => ({
    id,
    label,
    wave,
    kind: "node",
    phase: null,
    parents: [],
    instances: instances.get(id) ?? [],
  }));
}
