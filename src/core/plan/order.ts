import { Bug, compareCodeUnits, invariant, required } from "../base/index.ts";
import { dependentsOf, layerGraph } from "../graph/index.ts";

/** The graph in plan order: by wave, then by code unit of id. All lists are indexed by plan index. */
export interface Order {
  /** Position of each node in the definition. */
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
  const layered = layerGraph(indicesOf(vertices, new Map(vertices.map((vertex, at) => [vertex.id, at]))));
  invariant(layered.ok, "a checked definition has no cycle");
  const waveAt = (position: number): number => layered.waves[position] ?? 0;
  const positions = vertices
    .map((_, position) => position)
    .sort(
      (left, right) => waveAt(left) - waveAt(right) || compareCodeUnits(idAt(vertices, left), idAt(vertices, right)),
    );

  const ordered = positions.map((position) => required(vertices[position], "the order lists positions"));
  const indexById = new Map(ordered.map((vertex, index) => [vertex.id, index]));
  const parents = indicesOf(ordered, indexById).map((list) => list.sort((left, right) => left - right));
  const byId = (left: number, right: number): number => compareCodeUnits(idAt(ordered, left), idAt(ordered, right));
  return {
    positions,
    ids: ordered.map((vertex) => vertex.id),
    waves: positions.map(waveAt),
    parents,
    dependents: dependentsOf(parents).map((dependents) => [...dependents].sort(byId)),
    indexById,
    edgeCount: parents.reduce((sum, list) => sum + list.length, 0),
  };
}

function idAt(vertices: readonly Vertex[], at: number): string {
  return vertices[at]?.id ?? "";
}

function indicesOf(vertices: readonly Vertex[], indexById: ReadonlyMap<string, number>): number[][] {
  return vertices.map((vertex) =>
    vertex.dependencies.map((id) => {
      const index = indexById.get(id);
      if (index === undefined) throw new Bug(`a checked definition has no dependency on the unknown "${id}"`);
      return index;
    }),
  );
}
