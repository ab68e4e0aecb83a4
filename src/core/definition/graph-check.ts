import { LIMITS, type TreePath } from "../base/index.ts";
import { layerGraph } from "../graph/index.ts";
import type { Report } from "./report.ts";

/** A step or node as a vertex of the graph. */
export interface Vertex {
  readonly id: string | null;
  readonly path: TreePath;
  /** Indices of the vertices on which it depends. */
  readonly parents: readonly number[];
}

const CYCLES_SHOWN = 5;
const CYCLE_IDS_SHOWN = 50;

/** Reports too many edges, and every cycle with its members. */
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
    // The members are removed, so that the next pass finds only independent cycles.
    for (const index of layers.cycle) parents[index] = [];
  }
}

function reportCycle(cycle: readonly number[], vertices: readonly Vertex[], report: Report): void {
  const [first = 0, ...rest] = cycle;
  // The cycle was found from each member to its dependency. It is printed in the order of execution.
  const ordered = [first, ...rest.reverse()];
  const ids = ordered.map((index) => vertices[index]?.id ?? "?");
  const shown = ids.length > CYCLE_IDS_SHOWN ? [...ids.slice(0, CYCLE_IDS_SHOWN), "…"] : ids;
  const text = [...shown, ids[0]].join(" → ");
  const message = `These wait for each other, so none could ever start: ${text}.`;
  const at = vertices[first]?.path ?? [];
  report.problem("cycle", at, message, { hint: "Remove one of these dependencies." });
}
