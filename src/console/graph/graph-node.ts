import type { PlanDescription } from "../../client/index.ts";
import type { GroupableNode } from "../../core/graph/layout/index.ts";
import type { NodeView, PlanOutline } from "../../core/view/index.ts";

/** A node as the canvas draws it. */
export interface GraphNode extends GroupableNode {
  readonly label: string;
  readonly kind: string;
  /** Which picture it has, where the kind is said in other words. */
  readonly icon?: string;
}

/** Where the canvas reads how nodes stand. Views are replaced when they change, so that cards compare by identity. */
export interface GraphSource {
  /** Calls back when some of these nodes changed, without ids when any did; returns how to stop. */
  readonly onNodes: (listener: () => void, ids?: readonly string[]) => () => void;
  readonly node: (id: string) => NodeView | undefined;
  /** Values that went from one node to another, as `path → path`. */
  readonly handoffs: (source: string, target: string) => readonly string[];
  /** Whether a block of the node can be shown. */
  readonly hasBlock: (id: string) => boolean;
  /** The time that is looked at; null: now. */
  readonly shownAt: () => number | null;
}

const NOTHING: readonly string[] = [];

/** For a plan that is not run: nothing stands anywhere, and the same nothing every time it is asked for. */
export const STILL: GraphSource = {
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

/** The nodes of a plan as the API describes it. */
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

/** The nodes of a run: as its plan describes them, or by name and layer alone where no plan is known. */
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
