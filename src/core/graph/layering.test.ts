import { describe, expect, test } from "vitest";
import { layerGraph } from "./index.ts";

describe("waves", () => {
  test("an empty graph has none", () => {
    expect(layerGraph([])).toEqual({ ok: true, waves: [] });
  });

  test("a wave is the longest path from a root, not the shortest", () => {
    // 0 → 1 → 2 → 3, and 0 → 3 directly.
    expect(layerGraph([[], [0], [1], [0, 2]])).toEqual({ ok: true, waves: [0, 1, 2, 3] });
  });

  test("the order of the indices does not matter", () => {
    expect(layerGraph([[1], [2], []])).toEqual({ ok: true, waves: [2, 1, 0] });
  });

  test("a parent named twice counts as one dependence", () => {
    expect(layerGraph([[], [0, 0]])).toEqual({ ok: true, waves: [0, 1] });
  });

  test("a chain of 10,000 and a fan of 10,000 are walked without recursion", () => {
    const chain = Array.from({ length: 10_000 }, (_, node) => (node === 0 ? [] : [node - 1]));
    const layered = layerGraph(chain);
    expect(layered.ok && layered.waves.at(-1)).toBe(9_999);
    const fan = Array.from({ length: 10_000 }, (_, node) => (node === 0 ? [] : [0]));
    const fanned = layerGraph(fan);
    expect(fanned.ok && fanned.waves.filter((wave) => wave === 1)).toHaveLength(9_999);
  });
});

describe("cycles", () => {
  test("a node that depends on itself", () => {
    expect(layerGraph([[], [0, 1]])).toEqual({ ok: false, cycle: [1] });
  });

  test("each member depends on the next, from the lowest index on", () => {
    // 0 depends on 2, 2 on 1, 1 on 0.
    expect(layerGraph([[2], [0], [1]])).toEqual({ ok: false, cycle: [0, 2, 1] });
  });

  test("nodes before and behind the cycle are left out", () => {
    // 0 is a root, 1 and 2 form the cycle, 3 and 4 come behind it.
    expect(layerGraph([[], [0, 2], [1], [2], [3]])).toEqual({ ok: false, cycle: [1, 2] });
    // The same with the downstream nodes first.
    expect(layerGraph([[1], [2], [3], [2, 4], []])).toEqual({ ok: false, cycle: [2, 3] });
  });

  test("the shorter of two cycles through a node is reported", () => {
    // 0 → 1 → 2 → 3 → 0 and 0 ⇄ 3.
    expect(layerGraph([[1, 3], [2], [3], [0]])).toEqual({ ok: false, cycle: [0, 3] });
  });

  test("a cycle of 10,000 is found whole", () => {
    const ring = Array.from({ length: 10_000 }, (_, node) => [(node + 1) % 10_000]);
    const layered = layerGraph(ring);
    expect(!layered.ok && layered.cycle).toEqual(Array.from({ length: 10_000 }, (_, node) => node));
  });
});
