import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ancestorsOf, dependentsOf, descendantsOf, layerGraph } from "./index.ts";

/** Parents of any kind: pairs that may form cycles. */
const anyGraph = fc
  .integer({ min: 1, max: 24 })
  .chain((size) =>
    fc
      .array(fc.tuple(fc.nat({ max: size - 1 }), fc.nat({ max: size - 1 })), { maxLength: size * 2 })
      .map((pairs) => parentsFrom(size, pairs)),
  );

/** Acyclic by construction: a parent is earlier in a shuffled order. */
const acyclicGraph = fc.integer({ min: 1, max: 40 }).chain((size) =>
  fc
    .tuple(
      fc.shuffledSubarray(
        Array.from({ length: size }, (_, node) => node),
        { minLength: size, maxLength: size },
      ),
      fc.array(fc.tuple(fc.nat({ max: size - 1 }), fc.nat({ max: size - 1 })), { maxLength: size * 3 }),
    )
    .map(([order, pairs]) =>
      parentsFrom(
        size,
        pairs
          .filter(([left, right]) => left !== right)
          .map(([left, right]) => [order[Math.max(left, right)] ?? 0, order[Math.min(left, right)] ?? 0] as const),
      ),
    ),
);

function parentsFrom(size: number, pairs: readonly (readonly [number, number])[]): number[][] {
  const parents: number[][] = Array.from({ length: size }, () => []);
  for (const [node, parent] of pairs) parents[node]?.push(parent);
  return parents;
}

function reachableUpwards(parents: readonly (readonly number[])[], node: number): Set<number> {
  const reached = new Set<number>();
  const visit = (current: number): void => {
    for (const parent of parents[current] ?? []) {
      if (!reached.has(parent)) {
        reached.add(parent);
        visit(parent);
      }
    }
  };
  visit(node);
  return reached;
}

test("a wave is one more than the latest parent's", () => {
  fc.assert(
    fc.property(acyclicGraph, (parents) => {
      const layered = layerGraph(parents);
      expect(layered.ok).toBe(true);
      if (!layered.ok) return;
      const waves = layered.waves;
      for (const [node, list] of parents.entries()) {
        expect(waves[node]).toBe(list.length === 0 ? 0 : Math.max(...list.map((parent) => waves[parent] ?? 0)) + 1);
      }
    }),
    { numRuns: 300 },
  );
});

test("ancestors and descendants agree with a plain search", () => {
  fc.assert(
    fc.property(acyclicGraph, (parents) => {
      const layered = layerGraph(parents);
      if (!layered.ok) throw new Error("built without cycles");
      const ancestors = ancestorsOf(parents, layered.waves);
      const dependents = dependentsOf(parents);
      for (const node of parents.keys()) {
        const expected = reachableUpwards(parents, node);
        for (const other of parents.keys()) {
          expect(ancestors.has(node, other)).toBe(expected.has(other));
          expect(descendantsOf(dependents, [other]).has(node)).toBe(expected.has(other));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("either every node has a wave or the cycle is one: each member depends on the next, none twice", () => {
  fc.assert(
    fc.property(anyGraph, (parents) => {
      const layered = layerGraph(parents);
      const isCyclic = [...parents.keys()].some((node) => reachableUpwards(parents, node).has(node));
      expect(layered.ok).toBe(!isCyclic);
      if (layered.ok) return;
      const { cycle } = layered;
      expect(new Set(cycle).size).toBe(cycle.length);
      expect(cycle[0]).toBe(Math.min(...cycle));
      for (const [index, node] of cycle.entries()) {
        expect(parents[node]).toContain(cycle[(index + 1) % cycle.length]);
      }
      expect(layerGraph(parents)).toEqual(layered);
    }),
    { numRuns: 500 },
  );
});

test("a planted cycle is found, and nothing that only hangs on it", () => {
  fc.assert(
    fc.property(acyclicGraph, fc.integer({ min: 1, max: 8 }), (acyclic, length) => {
      const first = acyclic.length;
      const ring = Array.from({ length }, (_, index) => [first + ((index + 1) % length)]);
      const parents = [...acyclic.map((list, node) => (node % 2 === 0 ? [...list, first] : list)), ...ring];
      const layered = layerGraph(parents);
      expect(!layered.ok && layered.cycle).toEqual(Array.from({ length }, (_, index) => first + index));
    }),
    { numRuns: 200 },
  );
});
