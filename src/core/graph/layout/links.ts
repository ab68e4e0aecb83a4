import type { LayoutEdge } from "./layout.ts";

/** Edges by index without duplicates, ordered by source and then by target. */
export interface Links {
  readonly source: Int32Array;
  readonly target: Int32Array;
}

/** Edges with an unknown node are ignored. */
export function linksOf(edges: readonly LayoutEdge[], indexById: ReadonlyMap<string, number>): Links {
  const size = indexById.size;
  const keys = new Float64Array(edges.length);
  let known = 0;
  for (const { source, target } of edges) {
    const from = indexById.get(source);
    const to = indexById.get(target);
    if (from === undefined || to === undefined) continue;
    keys[known] = from * size + to;
    known += 1;
  }
  const sorted = keys.subarray(0, known).sort();
  const links = { source: new Int32Array(known), target: new Int32Array(known) };
  let count = 0;
  let before = -1;
  for (const key of sorted) {
    if (key === before) continue;
    before = key;
    const from = Math.floor(key / size);
    links.source[count] = from;
    links.target[count] = key - from * size;
    count += 1;
  }
  return { source: links.source.subarray(0, count), target: links.target.subarray(0, count) };
}

export function parentsOf(size: number, { source, target }: Links): readonly (readonly number[])[] {
  const parents: number[][] = Array.from({ length: size }, () => []);
  for (let link = 0; link < source.length; link += 1) parents[target[link] ?? 0]?.push(source[link] ?? 0);
  return parents;
}

/**
 * Links cut into pieces from layer to layer. Waypoints are numbered after the nodes; those of a link start at `first[link]` and
 * end before `first[link + 1]`.
 */
export interface SplitLinks extends Links {
  readonly first: Int32Array;
  /** Layer of each node and waypoint, waypoints after the nodes. */
  readonly layerOf: Int32Array;
}

/** Waypoints allowed per node, besides the free ones. With more of them, long edges are drawn straight behind the nodes in their way. */
const WAYPOINTS_PER_NODE = 4;
const WAYPOINTS_FREE = 2_000;

export function splitLinks({ source, target }: Links, waves: readonly number[]): SplitLinks {
  const between = (link: number): number => (waves[target[link] ?? 0] ?? 0) - (waves[source[link] ?? 0] ?? 0) - 1;
  let wanted = 0;
  for (let link = 0; link < source.length; link += 1) wanted += between(link);
  const isAllowed = wanted <= WAYPOINTS_FREE + WAYPOINTS_PER_NODE * waves.length;
  const first = new Int32Array(source.length + 1);
  const layerOf = new Int32Array(waves.length + (isAllowed ? wanted : 0));
  for (let node = 0; node < waves.length; node += 1) layerOf[node] = waves[node] ?? 0;
  let next = waves.length;
  for (let link = 0; link < source.length; link += 1) {
    first[link] = next;
    const count = isAllowed ? between(link) : 0;
    for (let step = 1; step <= count; step += 1) layerOf[next + step - 1] = (waves[source[link] ?? 0] ?? 0) + step;
    next += count;
  }
  first[source.length] = next;
  return { source, target, first, layerOf };
}
