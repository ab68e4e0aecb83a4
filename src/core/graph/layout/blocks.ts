import { type LayeredGraph, neighbours } from "./layered-graph.ts";

/** Largest number of nodes beside each other. In a longer line a reader finds no node, so the layer becomes a block of several lines. */
export const LINE_MAX = 24;
/** Ratio of the extent of a block along the layers to its extent across them, similar to a screen. */
const RATIO = 2;

export interface BlockSizes {
  /** Size of each node along the layers. */
  readonly depth: Float64Array;
  readonly nodeGap: number;
  readonly lineGap: number;
  /** Space on both sides of a rank, for the edges that pass its other nodes. */
  readonly lane: number;
}

/**
 * The same graph with wide layers turned into blocks. Consecutive nodes of a wide layer form a rank: they are side by side
 * along the layers, at one position across them, and the rank is placed as one item.
 */
export interface Blocks {
  /** The items placed across the layers: ranks replace the nodes of wide layers, all other items are unchanged. */
  readonly graph: LayeredGraph;
  /** The item that contains each node or waypoint. */
  readonly itemOf: Int32Array;
  /** The line of each node within its layer. */
  readonly lineOf: Int32Array;
  /** Number of lines of each layer: 1 unless the layer is a block. */
  readonly lineCounts: Int32Array;
}

export function blocksOf(graph: LayeredGraph, sizes: BlockSizes): Blocks {
  const { layers, layerOf, nodeCount } = graph;
  const lineCounts = Int32Array.from(layers, (layer) => lineCount(graph, layer, sizes));
  const itemOf = new Int32Array(layerOf.length);
  const lineOf = new Int32Array(nodeCount);
  if (lineCounts.every((count) => count === 1)) {
    for (let index = 0; index < itemOf.length; index += 1) itemOf[index] = index;
    return { graph, itemOf, lineOf, lineCounts };
  }
  let items = 0;
  layers.forEach((layer, at) => (items += number(layer, nodeCount, lineCounts[at] ?? 1, items, itemOf, lineOf)));
  for (let waypoint = nodeCount; waypoint < layerOf.length; waypoint += 1)
    itemOf[waypoint] = items + waypoint - nodeCount;
  return { graph: itemGraph(graph, itemOf, items, lineCounts, sizes.lane), itemOf, lineOf, lineCounts };
}

function lineCount({ nodeCount, breadth }: LayeredGraph, layer: Int32Array, sizes: BlockSizes): number {
  let count = 0;
  let across = 0;
  let along = 0;
  for (const index of layer) {
    if (index >= nodeCount) continue;
    count += 1;
    across += (breadth[index] ?? 0) + sizes.nodeGap + sizes.lane * 2;
    along += (sizes.depth[index] ?? 0) + sizes.lineGap;
  }
  if (count <= LINE_MAX) return 1;
  const wanted = Math.round(Math.sqrt((count * RATIO * Math.max(1, across)) / Math.max(1, along)));
  const ranks = Math.ceil(count / Math.min(count, Math.max(2, wanted)));
  return Math.ceil(count / ranks);
}

/** Assigns an item and a line to each node of a layer. Returns the number of items. */
function number(
  layer: Int32Array,
  nodeCount: number,
  lines: number,
  firstItem: number,
  itemOf: Int32Array,
  lineOf: Int32Array,
): number {
  let seen = 0;
  for (const index of layer) {
    if (index >= nodeCount) continue;
    itemOf[index] = firstItem + Math.floor(seen / lines);
    lineOf[index] = seen % lines;
    seen += 1;
  }
  return Math.ceil(seen / lines);
}

function itemGraph(
  graph: LayeredGraph,
  itemOf: Int32Array,
  nodeCount: number,
  lineCounts: Int32Array,
  lane: number,
): LayeredGraph {
  const size = nodeCount + itemOf.length - graph.nodeCount;
  const breadth = new Float64Array(size);
  const layerOf = new Int32Array(size);
  for (let index = 0; index < itemOf.length; index += 1) {
    const item = itemOf[index] ?? 0;
    const layer = graph.layerOf[index] ?? 0;
    layerOf[item] = layer;
    if (index >= graph.nodeCount) continue;
    const room = (graph.breadth[index] ?? 0) + ((lineCounts[layer] ?? 1) > 1 ? lane * 2 : 0);
    breadth[item] = Math.max(breadth[item] ?? 0, room);
  }
  const from = graph.pieces.from.map((index) => itemOf[index] ?? 0);
  const to = graph.pieces.to.map((index) => itemOf[index] ?? 0);
  return {
    layers: graph.layers.map((layer, at) => itemsOf(layer, graph.nodeCount, itemOf, lineCounts[at] ?? 1)),
    layerOf,
    breadth,
    nodeCount,
    pieces: { from, to },
    up: neighbours(size, to, from),
    down: neighbours(size, from, to),
  };
}

/** Returns the items of a layer. A waypoint between nodes of a rank moves before or after the rank, whichever is nearer. */
function itemsOf(layer: Int32Array, nodeCount: number, itemOf: Int32Array, lines: number): Int32Array {
  const items: number[] = [];
  const after: number[] = [];
  let rank = -1;
  let members = 0;
  const close = (): void => {
    if (rank !== -1) items.push(rank, ...after);
    after.length = 0;
  };
  for (const index of layer) {
    const item = itemOf[index] ?? 0;
    if (index >= nodeCount) {
      if (rank === -1 || members * 2 < lines) items.push(item);
      else after.push(item);
    } else if (rank === item) members += 1;
    else {
      close();
      rank = item;
      members = 1;
    }
  }
  close();
  return Int32Array.from(items);
}
