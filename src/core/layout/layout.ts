import { compareCodeUnits, invariant, required } from "../base/index.ts";
import { layerGraph } from "../graph/index.ts";
import { type LayeredGraph, neighbours } from "./layered-graph.ts";
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

/** From the side of its source to the side of its target; two points in every layer it passes by. */
export interface RoutedEdge extends LayoutEdge {
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  /** Layer by layer, each in the order it is drawn. */
  readonly nodes: readonly Placed[];
  /** Each once, by code unit of source, then target. */
  readonly edges: readonly RoutedEdge[];
  readonly width: number;
  readonly height: number;
}

/** Beyond so many per node, long edges run straight behind whatever is in their way. */
const WAYPOINTS_PER_NODE = 4;
const WAYPOINTS_FREE = 2_000;

/**
 * Places an acyclic graph on layers, the layer of a node being the longest way to it from a root. The same graph has
 * the same layout, in whatever order its nodes and edges are listed. Edges that name no node are left out.
 */
export function layOut(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  { direction, nodeGap, layerGap }: LayoutOptions,
): Layout {
  const isDown = direction === "down";
  const sorted = [...nodes].sort((left, right) => compareCodeUnits(left.id, right.id));
  const indexById = new Map(sorted.map(({ id }, index) => [id, index]));
  const links = linksOf(edges, indexById);
  const layering = layerGraph(parentsOf(sorted.length, links));
  invariant(layering.ok, "a graph that is laid out has no cycle");
  const strung = string(links, layering.waves);
  const graph = layeredGraph(sorted, layering.waves, strung, isDown);
  sweep(graph);
  const middles = place(graph, nodeGap);
  return measure({ sorted, graph, middles, strung, layerGap, isDown });
}

interface Link {
  readonly source: number;
  readonly target: number;
}

function linksOf(edges: readonly LayoutEdge[], indexById: ReadonlyMap<string, number>): readonly Link[] {
  const size = indexById.size;
  const keys = new Set<number>();
  for (const { source, target } of edges) {
    const from = indexById.get(source);
    const to = indexById.get(target);
    if (from !== undefined && to !== undefined) keys.add(from * size + to);
  }
  return Array.from(Float64Array.from(keys).sort(), (key) => ({ source: Math.floor(key / size), target: key % size }));
}

function parentsOf(size: number, links: readonly Link[]): readonly (readonly number[])[] {
  const parents: number[][] = Array.from({ length: size }, () => []);
  for (const { source, target } of links) parents[target]?.push(source);
  return parents;
}

/** Links cut into pieces from layer to layer. Waypoints are numbered after the nodes, those of one link in a row. */
interface Strung {
  readonly links: readonly (Link & { readonly firstWaypoint: number; readonly waypoints: number })[];
  /** The layer of each waypoint. */
  readonly waypointLayers: readonly number[];
}

function string(links: readonly Link[], waves: readonly number[]): Strung {
  const span = ({ source, target }: Link): number => (waves[target] ?? 0) - (waves[source] ?? 0);
  const wanted = links.reduce((sum, link) => sum + span(link) - 1, 0);
  const isAllowed = wanted <= WAYPOINTS_FREE + WAYPOINTS_PER_NODE * waves.length;
  const waypointLayers: number[] = [];
  const strung = links.map((link) => {
    const firstWaypoint = waves.length + waypointLayers.length;
    const waypoints = isAllowed ? span(link) - 1 : 0;
    for (let step = 1; step <= waypoints; step += 1) waypointLayers.push((waves[link.source] ?? 0) + step);
    return { source: link.source, target: link.target, firstWaypoint, waypoints };
  });
  return { links: strung, waypointLayers };
}

function layeredGraph(
  nodes: readonly LayoutNode[],
  waves: readonly number[],
  { links, waypointLayers }: Strung,
  isDown: boolean,
): LayeredGraph {
  const size = nodes.length + waypointLayers.length;
  const layerOf = Int32Array.from([...waves, ...waypointLayers]);
  const breadth = new Float64Array(size);
  nodes.forEach(({ width, height }, index) => (breadth[index] = isDown ? width : height));
  const layers: number[][] = [];
  layerOf.forEach((layer, index) => {
    while (layers.length <= layer) layers.push([]);
    layers[layer]?.push(index);
  });
  const from: number[] = [];
  const to: number[] = [];
  for (const { source, target, firstWaypoint, waypoints } of links) {
    let last = source;
    for (let step = 0; step < waypoints; step += 1) {
      from.push(last);
      last = firstWaypoint + step;
      to.push(last);
    }
    from.push(last);
    to.push(target);
  }
  return {
    layers,
    layerOf,
    breadth,
    nodeCount: nodes.length,
    up: neighbours(size, to, from),
    down: neighbours(size, from, to),
  };
}

interface Placement {
  readonly sorted: readonly LayoutNode[];
  readonly graph: LayeredGraph;
  readonly middles: Float64Array;
  readonly strung: Strung;
  readonly layerGap: number;
  readonly isDown: boolean;
}

/** From middles to corners and points, with everything right of and below 0. */
function measure({ sorted, graph, middles, strung, layerGap, isDown }: Placement): Layout {
  const along = ({ width, height }: LayoutNode): number => (isDown ? height : width);
  let low = Infinity;
  for (let index = 0; index < middles.length; index += 1) {
    low = Math.min(low, (middles[index] ?? 0) - (graph.breadth[index] ?? 0) / 2);
  }
  const shift = sorted.length === 0 ? 0 : -Math.floor(low);
  const depths = graph.layers.map((layer) =>
    layer.reduce((most, index) => Math.max(most, index < sorted.length ? along(nodeAt(sorted, index)) : 0), 0),
  );
  const starts: number[] = [];
  let end = 0;
  for (const depth of depths) {
    starts.push(end);
    end += depth + layerGap;
  }
  const point = (main: number, cross: number): Point => (isDown ? { x: cross, y: main } : { x: main, y: cross });
  const middleOf = (index: number): number => (middles[index] ?? 0) + shift;
  const startOf = (index: number): number => starts[graph.layerOf[index] ?? 0] ?? 0;
  const placed = graph.layers.flatMap((layer) =>
    layer
      .filter((index) => index < sorted.length)
      .map((index): Placed => {
        const { id, width, height } = nodeAt(sorted, index);
        const { x, y } = point(startOf(index), middleOf(index) - (graph.breadth[index] ?? 0) / 2);
        return { id, width, height, x, y, layer: graph.layerOf[index] ?? 0 };
      }),
  );
  const edges = strung.links.map(({ source, target, firstWaypoint, waypoints }): RoutedEdge => {
    const points = [point(startOf(source) + along(nodeAt(sorted, source)), middleOf(source))];
    for (let waypoint = firstWaypoint; waypoint < firstWaypoint + waypoints; waypoint += 1) {
      const depth = depths[graph.layerOf[waypoint] ?? 0] ?? 0;
      points.push(point(startOf(waypoint), middleOf(waypoint)));
      points.push(point(startOf(waypoint) + depth, middleOf(waypoint)));
    }
    points.push(point(startOf(target), middleOf(target)));
    return { source: nodeAt(sorted, source).id, target: nodeAt(sorted, target).id, points };
  });
  return { nodes: placed, edges, ...bounds(placed) };
}

function bounds(placed: readonly Placed[]): { readonly width: number; readonly height: number } {
  let width = 0;
  let height = 0;
  for (const node of placed) {
    width = Math.max(width, node.x + node.width);
    height = Math.max(height, node.y + node.height);
  }
  return { width, height };
}

function nodeAt(nodes: readonly LayoutNode[], index: number): LayoutNode {
  return required(nodes[index], "a layer lists nodes of the graph");
}
