import { invariant } from "../../base/index.ts";
import { layerGraph } from "../index.ts";
import { blocksOf } from "./blocks.ts";
import { layeredGraph } from "./layered-graph.ts";
import { linksOf, parentsOf, splitLinks } from "./links.ts";
import { measure } from "./measure.ts";
import { compareNatural } from "./natural-order.ts";
import { place } from "./placement.ts";
import { sweep } from "./sweep.ts";

export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface LayoutEdge {
  readonly source: string;
  readonly target: string;
}

export interface LayoutOptions {
  /** Where the layers go. */
  readonly direction: "right" | "down";
  /** Between nodes of one layer. */
  readonly nodeGap: number;
  /** Between layers, where the edges turn. */
  readonly layerGap: number;
}

/** Left upper corner, whole numbers unless the sizes are not. */
export interface Placed extends LayoutNode {
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

/**
 * From the side of its source to the side of its target; one point where larger nodes of its layer end, two in every layer
 * it passes by, and two more in a block where it leads past other nodes of the rank.
 */
export interface RoutedEdge extends LayoutEdge {
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  /** Layer by layer, each in the order it is drawn; a block rank by rank. */
  readonly nodes: readonly Placed[];
  /** Each once, in the natural order of sources, then of targets. */
  readonly edges: readonly RoutedEdge[];
  readonly width: number;
  readonly height: number;
}

/** How much of the gap between layers there is between the lines of a block, and of the one between nodes for a lane. */
const LINE_GAP = 1 / 2;
const LANE = 1 / 3;

/**
 * Places an acyclic graph on layers, the layer of a node being the longest way to it from a root. A layer of very many
 * nodes becomes a block of several lines. The same graph has the same layout, in whatever order its nodes and edges are
 * listed. Edges that name no node are left out.
 */
export function layOut(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  { direction, nodeGap, layerGap }: LayoutOptions,
): Layout {
  const isDown = direction === "down";
  const sorted = [...nodes].sort((left, right) => compareNatural(left.id, right.id));
  const indexById = new Map<string, number>();
  for (const { id } of sorted) indexById.set(id, indexById.size);
  const links = linksOf(edges, indexById);
  const layering = layerGraph(parentsOf(sorted.length, links));
  invariant(layering.ok, "a graph that is laid out has no cycle");
  const split = splitLinks(links, layering.waves);
  const breadth = new Float64Array(split.layerOf.length);
  const depth = new Float64Array(sorted.length);
  sorted.forEach(({ width, height }, index) => {
    breadth[index] = isDown ? width : height;
    depth[index] = isDown ? height : width;
  });
  const graph = layeredGraph(sorted.length, split, breadth);
  sweep(graph);
  const lineGap = Math.ceil(layerGap * LINE_GAP);
  const blocks = blocksOf(graph, { depth, nodeGap, lineGap, lane: Math.ceil(nodeGap * LANE) });
  const middles = place(blocks.graph, nodeGap);
  return measure({ sorted, graph, split, blocks, middles, depth, layerGap, lineGap, isDown });
}
