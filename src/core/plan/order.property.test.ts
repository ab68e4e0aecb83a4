import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodeUnits } from "../base/index.ts";
import { orderGraph } from "./order.ts";

/** Ids whose code-unit order differs from any dictionary order, shuffled against the edges. */
const graphs = fc
  .record({
    ids: fc.uniqueArray(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,3}$/), { minLength: 1, maxLength: 14 }),
    edges: fc.array(fc.tuple(fc.nat(13), fc.nat(13)), { maxLength: 40 }),
    seed: fc.array(fc.nat(1_000), { minLength: 14, maxLength: 14 }),
  })
  .map(({ ids, edges, seed }) => {
    const dependencies = ids.map(() => new Set<string>());
    for (const [a, b] of edges) {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const from = ids[low];
      if (low !== high && from !== undefined) dependencies[high]?.add(from);
    }
    const vertices = ids.map((id, at) => ({ id, dependencies: [...(dependencies[at] ?? [])].sort(compareCodeUnits) }));
    return vertices
      .map((vertex, at) => ({ vertex, key: seed[at] ?? 0 }))
      .sort((left, right) => left.key - right.key)
      .map(({ vertex }) => vertex);
  });

type Vertices = Parameters<typeof orderGraph>[0];

/** The longest path by trying every path. */
function longestPath(vertices: Vertices, id: string): number {
  const dependencies = vertices.find((vertex) => vertex.id === id)?.dependencies ?? [];
  return Math.max(-1, ...dependencies.map((parent) => longestPath(vertices, parent))) + 1;
}

describe("orderGraph", () => {
  it("gives every node the length of its longest path and orders by it, then by code unit", () => {
    fc.assert(
      fc.property(graphs, (vertices) => {
        const order = orderGraph(vertices);
        const expected = vertices
          .map(({ id }) => ({ id, wave: longestPath(vertices, id) }))
          .sort((left, right) => left.wave - right.wave || compareCodeUnits(left.id, right.id));
        expect(order.ids).toEqual(expected.map(({ id }) => id));
        expect(order.waves).toEqual(expected.map(({ wave }) => wave));
        expect(order.positions.map((position) => vertices[position]?.id)).toEqual(order.ids);
        expect([...order.indexById]).toEqual(order.ids.map((id, index) => [id, index]));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps exactly the written edges, seen from both ends", () => {
    fc.assert(
      fc.property(graphs, (vertices) => {
        const order = orderGraph(vertices);
        const idOf = (index: number) => order.ids[index] ?? "";
        for (const [index, id] of order.ids.entries()) {
          const parents = order.parents[index] ?? [];
          const dependents = (order.dependents[index] ?? []).map(idOf);
          const written = vertices.find((vertex) => vertex.id === id)?.dependencies ?? [];
          expect(parents).toEqual(parents.toSorted((left, right) => left - right));
          expect(parents.every((parent) => parent < index)).toBe(true);
          expect(parents.map(idOf).sort(compareCodeUnits)).toEqual(written);
          expect(dependents).toEqual(
            vertices
              .filter((vertex) => vertex.dependencies.includes(id))
              .map((vertex) => vertex.id)
              .sort(compareCodeUnits),
          );
        }
        expect(order.edgeCount).toBe(vertices.reduce((sum, vertex) => sum + vertex.dependencies.length, 0));
      }),
      { numRuns: 300 },
    );
  });

  it("treats a cycle and an unknown dependency as bugs, because a checked definition has neither", () => {
    const cycle = [
      { id: "a", dependencies: ["b"] },
      { id: "b", dependencies: ["a"] },
    ];
    expect(() => orderGraph(cycle)).toThrow("no cycle");
    expect(() => orderGraph([{ id: "a", dependencies: ["ghost"] }])).toThrow('unknown "ghost"');
  });
});
