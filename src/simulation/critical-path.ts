import type { RunState } from "../core/engine/index.ts";
import type { PlanNode } from "../core/plan/index.ts";

/** Returns the path from the node that settled last back through the parent of each that settled last. */
export function criticalPath(state: RunState): readonly string[] {
  const settledAt = (index: number): number => {
    const now = state.nodes[index]?.now;
    return now !== undefined && "settledAt" in now && now.status !== "skipped" ? now.settledAt : -1;
  };
  const latest = (indices: readonly number[]): number | undefined => {
    let best: number | undefined;
    for (const index of indices) {
      if (settledAt(index) >= 0 && (best === undefined || settledAt(index) >= settledAt(best))) best = index;
    }
    return best;
  };
  const path: string[] = [];
  const { nodes } = state.plan;
  const leaves = nodes.filter(({ dependents }) => dependents.length === 0).map((node) => node.index);
  // When every leaf was skipped, the path ends with the node that settled last.
  let index = latest(leaves) ?? latest(nodes.map((node) => node.index));
  while (index !== undefined) {
    const node: PlanNode | undefined = nodes[index];
    if (node === undefined) break;
    path.push(node.id);
    index = latest([...(state.nodes[index]?.counted ?? node.parents)]);
  }
  return path.reverse();
}
