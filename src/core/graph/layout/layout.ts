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
  /** Direction in which the layers follow each other. */
  readonly direction: "right" | "down";
  /** Distance between nodes of one layer. */
  readonly nodeGap: number;
  /** Distance between layers, where the edges turn. */
  readonly layerGap: number;
}

/** The upper left corner, in whole numbers if the sizes are whole numbers. */
export interface Placed extends LayoutNode {
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

/**
 * Route from the side of the source to the side of the target. It has one point where larger nodes beside the source end, two
 * in every layer that it passes, and two more in a block where it passes other nodes of the rank.
 */
export interface RoutedEdge extends LayoutEdge {
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  /** Layer by layer, each in drawing order; in a block, rank by rank. */
  readonly nodes: readonly Placed[];
  /** Without duplicates, in natural order of sources, then of targets. */
  readonly edges: readonly RoutedEdge[];
  readonly width: number;
  readonly height: number;
}

/** Gap between the lines of a block, as a part of the layer gap; width of a lane, as a part of the node gap. */
const LINE_GAP = 1 / 2;
const LANE = 1 / 3;

/**
 * Places an acyclic graph on layers. The layer of a node is the longest path to it from a root; a layer with very many nodes
 * becomes a block of several lines. The layout does not depend on the order in which nodes and edges are listed. Edges with an
 * unknown node are ignored.
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
