import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { orderGraph } from "./order.ts";
import { createVariables } from "./variables.ts";

/** Closure by definition: the parents, and theirs. */
function ancestorsByHand(parents: readonly (readonly number[])[], node: number): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [...(parents[node] ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(parents[next] ?? []));
  }
  return found;
}

function idOf(at: number): string {
  return `n${String(at).padStart(4, "0")}`;
}

function check(nodes: number, edges: readonly (readonly [number, number])[], declared: readonly string[][]): void {
  const dependencies = Array.from({ length: nodes }, () => new Set<number>());
  for (const [a, b] of edges) if (a !== b) dependencies[Math.max(a, b) % nodes]?.add(Math.min(a, b) % nodes);
  const order = orderGraph(
    dependencies.map((list, at) => ({ id: idOf(at), dependencies: [...list].filter((each) => each < at).map(idOf) })),
  );
  const variables = createVariables(order, declared);
  for (let node = 0; node < nodes; node += 1) {
    const ancestors = ancestorsByHand(order.parents, node);
    for (const variable of ["x", "y", "constructor"]) {
      const visible = declared.flatMap((names, at) => (names.includes(variable) && ancestors.has(at) ? [at] : []));
      const winner = visible.at(-1);
      expect(variables.find(node, variable)).toEqual(
        winner === undefined ? undefined : { node: winner, isAmbiguous: visible.length > 1 },
      );
      expect(variables.declaringAncestors(node, variable)).toEqual(visible);
    }
  }
}

describe("createVariables", () => {
  const names = fc.subarray(["x", "y"]);

  it("finds the last declaring ancestor and whether it has rivals, as by hand", () => {
    const small = fc
      .integer({ min: 1, max: 12 })
      .chain((nodes) =>
        fc.tuple(
          fc.constant(nodes),
          fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: 24 }),
          fc.array(names, { minLength: nodes, maxLength: nodes }),
        ),
      );
    fc.assert(
      fc.property(small, ([nodes, edges, declared]) => check(nodes, edges, declared)),
      { numRuns: 200 },
    );
  });

  it.each([255, 256, 257])("says the same where %i nodes declare one name", (declaring) => {
    const edges = fc.array(fc.tuple(fc.nat(279), fc.nat(279)), { maxLength: 400 });
    fc.assert(
      fc.property(edges, (edges) => {
        const declared = Array.from({ length: 280 }, (_, at) => (at < declaring ? ["x"] : []));
        check(280, edges, declared);
      }),
      { numRuns: 5 },
    );
  });
});
