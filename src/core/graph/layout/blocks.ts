import { type LayeredGraph, neighbours } from "./layered-graph.ts";

/** With more nodes than this beside each other none can be found: their layer becomes a block of several lines. */
export const LINE_MAX = 24;
/** A block reaches this much further along the layers than across them, as screens do. */
const RATIO = 2;

export interface BlockSizes {
  /** Along the layers: how much room each node takes. */
  readonly depth: Float64Array;
  readonly nodeGap: number;
  readonly lineGap: number;
  /** On both sides of a rank, for the edges that lead past its other nodes. */
  readonly lane: number;
}

/**
 * The same graph with wide layers made into blocks. Nodes that follow each other in the order of their layer stand in
 * a rank, side by side along the layers, at one place across them: a rank is placed as one.
 */
export interface Blocks {
  /** What is placed across the layers: ranks in place of the nodes of wide layers, and everything else as it is. */
  readonly graph: LayeredGraph;
  /** What places a node or a waypoint. */
  readonly itemOf: Int32Array;
  /** The line of each node within its layer. */
  readonly lineOf: Int32Array;
  /** Of each layer; one unless it is a block. */
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

/** Gives the nodes of a layer their items and lines; returns how many items there are. */
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

/** A waypoint among the nodes of a rank stands before the rank or after it, whichever is nearer. */
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
