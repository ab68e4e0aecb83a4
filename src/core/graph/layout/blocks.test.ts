import { describe, expect, it } from "vitest";
import { LINE_MAX } from "./blocks.ts";
import { layOut, type Layout, type LayoutOptions } from "./index.ts";

const OPTIONS: LayoutOptions = { direction: "right", nodeGap: 18, layerGap: 64 };
const CARD = { width: 204, height: 54 };
const name = (index: number): string => `n${String(index).padStart(4, "0")}`;

/** One node, then many beside each other, then one. */
function fan(width: number, options = OPTIONS): Layout {
  const many = Array.from({ length: width }, (_, index) => name(index));
  const nodes = ["start", ...many, "the-end"].map((id) => ({ id, ...CARD }));
  const edges = many.flatMap((id) => [
    { source: "start", target: id },
    { source: id, target: "the-end" },
  ]);
  return layOut(nodes, edges, options);
}

const columns = ({ nodes }: Layout): number => new Set(nodes.filter(({ layer }) => layer === 1).map(({ x }) => x)).size;
const rows = ({ nodes }: Layout): number => new Set(nodes.filter(({ layer }) => layer === 1).map(({ y }) => y)).size;

describe("wide layers", () => {
  it.each([
    [LINE_MAX - 1, 1],
    [LINE_MAX, 1],
    [LINE_MAX + 1, 4],
    [100, 8],
    [500, 19],
  ])("draws %i nodes of one layer in %i columns", (width, count) => {
    const layout = fan(width);
    expect(columns(layout)).toBe(count);
    expect(rows(layout)).toBe(Math.ceil(width / count));
  });

  it("is about as wide as a screen is for its height, whichever way the layers go", () => {
    const right = fan(500);
    expect(right.width / right.height).toBeGreaterThan(1.5);
    expect(right.width / right.height).toBeLessThan(3);
    const down = fan(500, { ...OPTIONS, direction: "down" });
    expect(down.height / down.width).toBeGreaterThan(1.5);
    expect(down.height / down.width).toBeLessThan(3);
  });

  it("reads row by row in the order of the layer", () => {
    const block = fan(60).nodes.filter(({ layer }) => layer === 1);
    const read = block.toSorted((left, right) => left.y - right.y || left.x - right.x);
    expect(block.map(({ id }) => id)).toEqual(read.map(({ id }) => id));
    expect(read.map(({ id }) => id)).toEqual(Array.from({ length: 60 }, (_, index) => name(index)));
  });

  it("leads edges along lanes between the rows and never through a card", () => {
    const { nodes, edges } = fan(100);
    const hits: string[] = [];
    for (const { source, target, points } of edges) {
      for (let at = 1; at < points.length; at += 1) {
        const [from, to] = [points[at - 1], points[at]];
        // Between layers and beside a card an edge turns; along the block it runs straight.
        if (from === undefined || to === undefined || from.y !== to.y) continue;
        for (const { id, x, y, width, height } of nodes) {
          if (id === source || id === target) continue;
          const isHit = from.y >= y && from.y <= y + height && from.x < x + width && to.x > x;
          if (isHit) hits.push(`${source} to ${target} runs through ${id}`);
        }
      }
    }
    expect(hits).toEqual([]);
  });

  it("leads a long edge past a block", () => {
    const many = Array.from({ length: 80 }, (_, index) => name(index));
    const nodes = ["a", ...many, "z"].map((id) => ({ id, ...CARD }));
    const edges = [
      ...many.flatMap((id) => [
        { source: "a", target: id },
        { source: id, target: "z" },
      ]),
      { source: "a", target: "z" },
    ];
    const layout = layOut(nodes, edges, OPTIONS);
    const points = layout.edges.find(({ source, target }) => source === "a" && target === "z")?.points ?? [];
    expect(points).toHaveLength(4);
    const past = points[1]?.y ?? 0;
    expect(layout.nodes.some(({ layer, y, height }) => layer === 1 && past >= y && past <= y + height)).toBe(false);
  });
});
