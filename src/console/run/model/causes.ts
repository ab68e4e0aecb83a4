import { isUpstreamFailure, type NodeView } from "../../../core/view/index.ts";
import type { GraphNode } from "../../graph/graph-node.ts";

/** Returns the failed nodes because of which a node did not run. Follows parents through other nodes that did not run either. */
export function causesOf(
  nodeId: string,
  nodes: readonly Pick<GraphNode, "id" | "parents">[],
  viewOf: (id: string) => NodeView | undefined,
): readonly string[] {
  const parentsOf = new Map(nodes.map(({ id, parents }) => [id, parents]));
  const causes: string[] = [];
  const seen = new Set<string>([nodeId]);
  const open = [nodeId];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const parent of parentsOf.get(id) ?? []) {
      const view = viewOf(parent);
      if (view === undefined || seen.has(parent)) continue;
      seen.add(parent);
      if (isUpstreamFailure(view)) open.push(parent);
      else if (view.status === "failed" || view.status === "timed_out" || view.status === "cancelled")
        causes.push(parent);
    }
  }
  return causes;
}
