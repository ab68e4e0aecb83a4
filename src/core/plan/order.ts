import { compareCodeUnits, invariant, required } from "../base/index.ts";
import { dependentsOf, layerGraph } from "../graph/index.ts";

/** The graph in plan order: wave, then code unit of id. All lists are indexed by plan index. */
export interface Order {
  /** Where the node stands in the definition. */
  readonly positions: readonly number[];
  readonly ids: readonly string[];
  readonly waves: readonly number[];
  readonly parents: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  readonly indexById: ReadonlyMap<string, number>;
  readonly edgeCount: number;
}

interface Vertex {
  readonly id: string;
  readonly dependencies: readonly string[];
}

export function orderGraph(vertices: readonly Vertex[]): Order {
  const positionById = new Map(vertices.map((vertex, position) => [vertex.id, position]));
  const layered = layerGraph(
    vertices.map((vertex) =>
      vertex.dependencies.map((id) =>
        required(positionById.get(id), `a checked definition has no dependency on the unknown "${id}"`),
      ),
    ),
  );
  invariant(layered.ok, "a checked definition has no cycle");
  const rows = vertices.map((vertex, position) => ({
    vertex,
    position,
    wave: required(layered.waves[position], "every node has a wave"),
  }));
  rows.sort((left, right) => left.wave - right.wave || compareCodeUnits(left.vertex.id, right.vertex.id));

  const ids = rows.map((row) => row.vertex.id);
  const indexById = new Map(ids.map((id, index) => [id, index]));
  const parents = rows.map((row) =>
    row.vertex.dependencies.map((id) => required(indexById.get(id), `"${id}" is in the plan`)).sort((a, b) => a - b),
  );
  const byId = (left: number, right: number) => compareCodeUnits(ids[left] ?? "", ids[right] ?? "");
  return {
    positions: rows.map((row) => row.position),
    ids,
    waves: rows.map((row) => row.wave),
    parents,
    dependents: dependentsOf(parents).map((dependents) => [...dependents].sort(byId)),
    indexById,
    edgeCount: parents.reduce((sum, list) => sum + list.length, 0),
  };
}
