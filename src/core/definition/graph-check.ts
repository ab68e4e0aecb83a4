import { LIMITS, type TreePath } from "../base/index.ts";
import { layerGraph } from "../graph/index.ts";
import type { Report } from "./report.ts";

/** A step or node as the graph sees it. */
export interface Vertex {
  readonly id: string | null;
  readonly path: TreePath;
  /** Indices of what it waits for. */
  readonly parents: readonly number[];
}

const CYCLES_SHOWN = 5;
const CYCLE_IDS_SHOWN = 50;

/** Refuses too many edges and every cycle, printing it. */
export function checkGraph(vertices: readonly Vertex[], edgesPath: TreePath, report: Report): void {
  const edges = vertices.reduce((sum, vertex) => sum + vertex.parents.length, 0);
  if (edges > LIMITS.edgesMax) {
    const message = `The workflow has ${edges} dependencies; at most ${LIMITS.edgesMax} are allowed.`;
    report.problem("too_many_edges", edgesPath, message);
    return;
  }
  const parents = vertices.map((vertex) => [...vertex.parents]);
  for (let shown = 0; shown < CYCLES_SHOWN; shown += 1) {
    const layers = layerGraph(parents);
    if (layers.ok) return;
    reportCycle(layers.cycle, vertices, report);
    // Without its members, the next round finds a cycle that has nothing to do with this one.
    for (const index of layers.cycle) parents[index] = [];
  }
}

function reportCycle(cycle: readonly number[], vertices: readonly Vertex[], report: Report): void {
  const [first = 0, ...rest] = cycle;
  // Found from each member to what it depends on; printed in the order of work.
  const ordered = [first, ...rest.reverse()];
  const ids = ordered.map((index) => vertices[index]?.id ?? "?");
  const shown = ids.length > CYCLE_IDS_SHOWN ? [...ids.slice(0, CYCLE_IDS_SHOWN), "…"] : ids;
  const text = [...shown, ids[0]].join(" → ");
  const message = `These wait for each other, so none could ever start: ${text}.`;
  const at = vertices[first]?.path ?? [];
  report.problem("cycle", at, message, { hint: "Remove one of these dependencies." });
}
