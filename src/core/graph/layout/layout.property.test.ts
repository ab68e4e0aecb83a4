import * as fc from "fast-check";
import { expect, test } from "vitest";
import { required } from "../../base/index.ts";
import { LINE_MAX } from "./blocks.ts";
import { groupGraph, type GroupableNode, type LayoutEdge, type LayoutNode, layOut, type Placed } from "./index.ts";

interface Graph {
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
}

const size = fc.integer({ min: 1, max: 300 });
const options = fc.record({
  direction: fc.constantFrom("right" as const, "down" as const),
  nodeGap: fc.integer({ min: 0, max: 40 }),
  layerGap: fc.integer({ min: 0, max: 80 }),
});

/** Acyclic, because an edge goes from an earlier node to a later one. */
const anyGraphs: fc.Arbitrary<Graph> = fc
  .tuple(
    fc.array(fc.record({ width: size, height: size }), { minLength: 1, maxLength: 40 }),
    fc.array(fc.tuple(fc.nat({ max: 39 }), fc.nat({ max: 39 })), { maxLength: 80 }),
  )
  .map(([sizes, pairs]) => ({
    nodes: sizes.map((given, index) => ({ id: `n${index}`, ...given })),
    edges: pairs
      .filter(([left, right]) => left !== right && Math.max(left, right) < sizes.length)
      .map(([left, right]) => ({ source: `n${Math.min(left, right)}`, target: `n${Math.max(left, right)}` })),
  }));

/** Few layers of many nodes, so that some become blocks, with edges that pass by. */
const wideGraphs: fc.Arbitrary<Graph> = fc
  .tuple(
    fc.integer({ min: LINE_MAX, max: LINE_MAX + 20 }),
    fc.array(fc.record({ width: size, height: size }), { minLength: 130, maxLength: 130 }),
    fc.array(fc.tuple(fc.nat({ max: 43 }), fc.nat({ max: 43 }), fc.nat({ max: 2 })), { minLength: 40, maxLength: 90 }),
  )
  .map(([width, sizes, pairs]) => {
    const nodes = sizes.slice(0, width * 3 - 2).map((given, index) => ({ id: `n${index}`, ...given }));
    const at = (layer: number, place: number): string =>
      `n${Math.min(nodes.length - 1, layer * width + (place % width))}`;
    const edges = pairs.map(([left, right, kind]) => ({
      source: at(kind === 1 ? 1 : 0, left),
      target: at(kind === 0 ? 1 : 2, right),
    }));
    return { nodes, edges: edges.filter(({ source, target }) => source !== target) };
  });
const graphs = fc.oneof({ weight: 4, arbitrary: anyGraphs }, { weight: 1, arbitrary: wideGraphs });

/** Layers of so many nodes that they are drawn as blocks. */
function blocksOf(placed: readonly Placed[]): ReadonlySet<number> {
  const counts = new Map<number, number>();
  for (const { layer } of placed) counts.set(layer, (counts.get(layer) ?? 0) + 1);
  return new Set([...counts].filter(([, count]) => count > LINE_MAX).map(([layer]) => layer));
}

const byId = (placed: readonly Placed[]): Map<string, Placed> => new Map(placed.map((node) => [node.id, node]));

test("nothing overlaps, everything lies inside the bounds, and gaps are kept", () => {
  fc.assert(
    fc.property(graphs, options, ({ nodes, edges }, given) => {
      const { nodes: placed, width, height } = layOut(nodes, edges, given);
      expect(placed).toHaveLength(nodes.length);
      const isDown = given.direction === "down";
      // One look at the end: a look per pair would take far longer than the pairs.
      const wrong: string[] = [];
      placed.forEach((one, index) => {
        const isInside = one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height;
        if (!isInside) wrong.push(`${one.id} is outside`);
        for (const other of placed.slice(index + 1)) {
          const apartX = Math.max(other.x - (one.x + one.width), one.x - (other.x + other.width));
          const apartY = Math.max(other.y - (one.y + one.height), one.y - (other.y + other.height));
          // In one layer beside each other, or, in a block, in different lines of it.
          const [across, along] = isDown ? [apartX, apartY] : [apartY, apartX];
          const isApart = one.layer !== other.layer || across >= given.nodeGap || along >= given.layerGap / 2;
          if (!isApart || (apartX < 0 && apartY < 0)) wrong.push(`${one.id} and ${other.id} are too close`);
        }
      });
      expect(wrong).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("an edge goes from one layer to a later one, begins at its source and ends at its target", () => {
  fc.assert(
    fc.property(graphs, options, ({ nodes, edges }, given) => {
      const layout = layOut(nodes, edges, given);
      const placed = byId(layout.nodes);
      const blocks = blocksOf(layout.nodes);
      expect(layout.edges).toHaveLength(new Set(edges.map(({ source, target }) => `${source} ${target}`)).size);
      for (const { source, target, points } of layout.edges) {
        const from = required(placed.get(source), "placed");
        const to = required(placed.get(target), "placed");
        const isDown = given.direction === "down";
        const along = points.map(({ x, y }) => (isDown ? y : x));
        const across = points.map(({ x, y }) => (isDown ? x : y));
        // One where it leads straight on beside a larger node of its layer; two points in every layer it passes by, and two
        // more where it leads past the other lines of a block.
        const isStraight = points.length % 2 === 1 && across[0] === across[1];
        const more = points.length - Number(isStraight) - 2 - 2 * (to.layer - from.layer - 1);
        const most = 2 * Number(blocks.has(from.layer)) + 2 * Number(blocks.has(to.layer));
        expect({
          isForward: from.layer < to.layer && along.every((at, index) => at >= (along[index - 1] ?? at)),
          begins: along[0],
          ends: along.at(-1),
          isShort: more >= 0 && more <= most && more % 2 === 0,
        }).toEqual({
          isForward: true,
          begins: isDown ? from.y + from.height : from.x + from.width,
          ends: isDown ? to.y : to.x,
          isShort: true,
        });
      }
      // A root is as far up as it can be: every layer but the first is reached from the one before it.
      for (const { id, layer } of layout.nodes) {
        const parents = edges
          .filter(({ target }) => target === id)
          .map(({ source }) => placed.get(source)?.layer ?? -1);
        expect(layer).toBe(Math.max(-1, ...parents) + 1);
      }
    }),
    { numRuns: 150 },
  );
});

test("the same graph has the same layout, however its nodes and edges are listed and repeated", () => {
  fc.assert(
    fc.property(graphs, options, fc.infiniteStream(fc.nat()), ({ nodes, edges }, given, chance) => {
      const shuffled = <T>(list: readonly T[]): T[] =>
        list
          .map((value) => ({ value, at: chance.next().value ?? 0 }))
          .sort((left, right) => left.at - right.at)
          .map(({ value }) => value);
      const first = layOut(nodes, edges, given);
      expect(layOut(nodes, edges, given)).toEqual(first);
      expect(layOut(shuffled(nodes), shuffled([...edges, ...edges]), given)).toEqual(first);
    }),
    { numRuns: 80 },
  );
});

const groupable: fc.Arbitrary<readonly GroupableNode[]> = fc
  .tuple(
    anyGraphs,
    fc.array(fc.constantFrom("plan", "build", "review", null), { minLength: 40, maxLength: 40 }),
    fc.array(fc.nat({ max: 3 }), { minLength: 40, maxLength: 40 }),
  )
  .map(([{ nodes, edges }, phases, counts]) => {
    const layers = byId(layOut(nodes, edges, { direction: "down", nodeGap: 1, layerGap: 1 }).nodes);
    return nodes.map(({ id }, index) => ({
      id,
      wave: layers.get(id)?.layer ?? 0,
      phase: phases[index] ?? null,
      parents: edges.filter(({ target }) => target === id).map(({ source }) => source),
      instances: Array.from({ length: counts[index] ?? 0 }, (_, element) => `${id}[${element}]`),
    }));
  });

test("whatever is open, each node and instance is shown by exactly one vertex, and what is drawn has no cycle", () => {
  fc.assert(
    fc.property(
      groupable,
      fc.integer({ min: 1, max: 45 }),
      fc.array(fc.nat(), { maxLength: 4 }),
      (nodes, limit, picks) => {
        const closed = groupGraph(nodes, { limit, open: new Set() });
        const open = new Set([
          ...picks.map((pick) => closed.vertices[pick % closed.vertices.length]?.id ?? ""),
          ...picks.map((pick) => nodes[pick % nodes.length]?.id ?? ""),
        ]);
        for (const { vertices, edges, vertexOf } of [closed, groupGraph(nodes, { limit, open })]) {
          const ids = new Set(vertices.map(({ id }) => id));
          expect(ids.size).toBe(vertices.length);
          for (const { id, instances } of nodes) {
            for (const shown of [id, ...instances]) expect(ids.has(vertexOf.get(shown) ?? "")).toBe(true);
          }
          const sized = vertices.map(({ id }) => ({ id, width: 10, height: 10 }));
          // Laying out refuses a cycle.
          expect(layOut(sized, edges, { direction: "down", nodeGap: 1, layerGap: 1 }).nodes).toHaveLength(
            vertices.length,
          );
          expect(edges.every(({ source, target }) => ids.has(source) && ids.has(target))).toBe(true);
        }
      },
    ),
    { numRuns: 200 },
  );
});
