import { required } from "../../base/index.ts";
import type { Blocks } from "./blocks.ts";
import type { Layout, LayoutNode, Placed, Point, RoutedEdge } from "./layout.ts";
import type { LayeredGraph } from "./layered-graph.ts";
import type { SplitLinks } from "./links.ts";

export interface Placement {
  readonly sorted: readonly LayoutNode[];
  readonly graph: LayeredGraph;
  readonly split: SplitLinks;
  readonly blocks: Blocks;
  /** Middle of each item, across the layers. */
  readonly middles: Float64Array;
  /** Size of each node along the layers. */
  readonly depth: Float64Array;
  readonly layerGap: number;
  readonly lineGap: number;
  readonly isDown: boolean;
}

/** Converts middles to corners and points, with no coordinate below 0. */
export function measure(placement: Placement): Layout {
  const { sorted, graph, isDown } = placement;
  const ruler = new Ruler(placement);
  const nodes: Placed[] = [];
  let width = 0;
  let height = 0;
  for (const layer of graph.layers) {
    for (const index of layer) {
      if (index >= sorted.length) continue;
      const size = nodeAt(sorted, index);
      const along = ruler.startOf(index);
      const across = ruler.middleOf(index) - (graph.breadth[index] ?? 0) / 2;
      const [x, y] = isDown ? [across, along] : [along, across];
      nodes.push({ id: size.id, width: size.width, height: size.height, x, y, layer: graph.layerOf[index] ?? 0 });
      width = Math.max(width, x + size.width);
      height = Math.max(height, y + size.height);
    }
  }
  return { nodes, edges: edgesOf(placement, ruler), width, height };
}

function edgesOf({ sorted, split }: Placement, ruler: Ruler): readonly RoutedEdge[] {
  const { source, target, first } = split;
  const edges: RoutedEdge[] = [];
  for (let link = 0; link < source.length; link += 1) {
    const from = source[link] ?? 0;
    const to = target[link] ?? 0;
    const points: Point[] = [];
    ruler.leave(from, points);
    for (let waypoint = first[link] ?? 0; waypoint < (first[link + 1] ?? 0); waypoint += 1)
      ruler.pass(waypoint, points);
    ruler.enter(to, points);
    edges.push({ source: nodeAt(sorted, from).id, target: nodeAt(sorted, to).id, points });
  }
  return edges;
}

function nodeAt(nodes: readonly LayoutNode[], index: number): LayoutNode {
  return required(nodes[index], "a layer lists nodes of the graph");
}

/** Positions of layers, lines and lanes. */
class Ruler {
  readonly #placement: Placement;
  readonly #shift: number;
  /** Index of the first line of each layer among all lines. */
  readonly #firstLine: Int32Array;
  readonly #lineStart: Float64Array;
  readonly #lineEnd: Float64Array;

  constructor(placement: Placement) {
    this.#placement = placement;
    const { blocks, depth, graph, layerGap, lineGap } = placement;
    this.#shift = -lowest(placement);
    this.#firstLine = new Int32Array(blocks.lineCounts.length + 1);
    blocks.lineCounts.forEach((count, at) => (this.#firstLine[at + 1] = (this.#firstLine[at] ?? 0) + count));
    const lines = this.#firstLine[blocks.lineCounts.length] ?? 0;
    const depths = new Float64Array(lines);
    for (let index = 0; index < depth.length; index += 1) {
      const line = (this.#firstLine[graph.layerOf[index] ?? 0] ?? 0) + (blocks.lineOf[index] ?? 0);
      depths[line] = Math.max(depths[line] ?? 0, depth[index] ?? 0);
    }
    this.#lineStart = new Float64Array(lines);
    this.#lineEnd = new Float64Array(lines);
    let at = 0;
    blocks.lineCounts.forEach((count, layer) => {
      for (let line = 0; line < count; line += 1) {
        const place = (this.#firstLine[layer] ?? 0) + line;
        this.#lineStart[place] = at;
        this.#lineEnd[place] = at + (depths[place] ?? 0);
        at += (depths[place] ?? 0) + (line === count - 1 ? layerGap : lineGap);
      }
    });
  }

  middleOf(index: number): number {
    const { middles, blocks } = this.#placement;
    return (middles[blocks.itemOf[index] ?? 0] ?? 0) + this.#shift;
  }

  startOf(index: number): number {
    return this.#lineStart[this.#lineOf(index)] ?? 0;
  }

  /** Adds the points out of a node, and out of its block through the lane after its rank. */
  leave(index: number, points: Point[]): void {
    const line = this.#lineOf(index);
    const side = this.startOf(index) + (this.#placement.depth[index] ?? 0);
    const end = this.#lineEnd[line] ?? side;
    this.#add(points, side, this.middleOf(index));
    // Continues straight beside a larger node of the same line, so that no edge passes behind it.
    if (end > side) this.#add(points, end, this.middleOf(index));
    const last = this.#lastLine(index);
    if (line === last) return;
    const lane = this.#laneOf(index, 1);
    this.#add(points, this.#lineStart[line + 1] ?? 0, lane);
    this.#add(points, this.#lineEnd[last] ?? 0, lane);
  }

  /** Adds the points past a layer. */
  pass(waypoint: number, points: Point[]): void {
    const { graph } = this.#placement;
    const first = this.#firstLine[graph.layerOf[waypoint] ?? 0] ?? 0;
    this.#add(points, this.#lineStart[first] ?? 0, this.middleOf(waypoint));
    this.#add(points, this.#lineEnd[this.#lastLine(waypoint)] ?? 0, this.middleOf(waypoint));
  }

  /** Adds the points into the block through the lane before the rank, and into the node. */
  enter(index: number, points: Point[]): void {
    const line = this.#lineOf(index);
    const first = this.#firstLine[this.#placement.graph.layerOf[index] ?? 0] ?? 0;
    if (line > first) {
      const lane = this.#laneOf(index, -1);
      this.#add(points, this.#lineStart[first] ?? 0, lane);
      this.#add(points, this.#lineEnd[line - 1] ?? 0, lane);
    }
    this.#add(points, this.startOf(index), this.middleOf(index));
  }

  #add(points: Point[], along: number, across: number): void {
    points.push(this.#placement.isDown ? { x: across, y: along } : { x: along, y: across });
  }

  #lineOf(index: number): number {
    const { graph, blocks } = this.#placement;
    return (this.#firstLine[graph.layerOf[index] ?? 0] ?? 0) + (blocks.lineOf[index] ?? 0);
  }

  #lastLine(index: number): number {
    return (this.#firstLine[(this.#placement.graph.layerOf[index] ?? 0) + 1] ?? 1) - 1;
  }

  #laneOf(index: number, side: 1 | -1): number {
    const { blocks } = this.#placement;
    return this.middleOf(index) + (side * (blocks.graph.breadth[blocks.itemOf[index] ?? 0] ?? 0)) / 2;
  }
}

function lowest({ blocks: { graph }, middles }: Placement): number {
  let low = Infinity;
  for (let item = 0; item < middles.length; item += 1)
    low = Math.min(low, (middles[item] ?? 0) - (graph.breadth[item] ?? 0) / 2);
  return low === Infinity ? 0 : Math.floor(low);
}
