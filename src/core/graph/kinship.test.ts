import { expect, test } from "vitest";
import { ancestorsOf, dependentsOf, descendantsOf, layerGraph } from "./index.ts";

const diamond = [[], [0], [0], [1, 2], []];

test("dependents are the parents turned round, in order", () => {
  expect(dependentsOf(diamond)).toEqual([[1, 2], [3], [3], [], []]);
});

test("ancestors reach through, and a node is not its own", () => {
  const ancestors = ancestorsOf(diamond, [0, 1, 1, 2, 0]);
  expect([ancestors.has(3, 0), ancestors.has(3, 1), ancestors.has(3, 2)]).toEqual([true, true, true]);
  expect([ancestors.has(3, 3), ancestors.has(0, 3), ancestors.has(3, 4), ancestors.has(1, 2)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([ancestors.has(9, 0), ancestors.has(0, 9), ancestors.has(-1, 0), ancestors.has(3, 0.5)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test("ancestors of 10,000 nodes in a chain", () => {
  const chain = Array.from({ length: 10_000 }, (_, node) => (node === 0 ? [] : [node - 1]));
  const layered = layerGraph(chain);
  if (!layered.ok) throw new Error("a chain has no cycle");
  const ancestors = ancestorsOf(chain, layered.waves);
  expect([ancestors.has(9_999, 0), ancestors.has(9_999, 31), ancestors.has(0, 9_999)]).toEqual([true, true, false]);
});

test("descendants leave the roots out unless a root depends on another", () => {
  const dependents = dependentsOf(diamond);
  expect([...descendantsOf(dependents, [1])]).toEqual([3]);
  expect(descendantsOf(dependents, [0, 1])).toEqual(new Set([1, 2, 3]));
  expect([...descendantsOf(dependents, [4])]).toEqual([]);
  expect([...descendantsOf(dependents, [])]).toEqual([]);
});
