import type { SplitLinks } from "./links.ts";

/** A graph on layers, by index. Neighbour lists are flat arrays, because sweeps and placement read them many times. */
export interface LayeredGraph {
  /** Indices of each layer, in drawing order. */
  readonly layers: readonly Int32Array[];
  readonly layerOf: Int32Array;
  /** Size of each node across the layers. */
  readonly breadth: Float64Array;
  /** Indices from this one on are waypoints of long edges, which have no size. */
  readonly nodeCount: number;
  readonly pieces: Pieces;
  readonly up: Neighbours;
  readonly down: Neighbours;
}

/** Edges from one layer to the next, by index. */
export interface Pieces {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** The neighbours of `i` are the elements of `list` from `start[i]` (inclusive) to `start[i + 1]` (exclusive). */
export interface Neighbours {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

export function layeredGraph(nodeCount: number, split: SplitLinks, breadth: Float64Array): LayeredGraph {
  const { layerOf } = split;
  const pieces = piecesOf(split);
  return {
    layers: layersOf(layerOf),
    layerOf,
    breadth,
    nodeCount,
    pieces,
    up: neighbours(layerOf.length, pieces.to, pieces.from),
    down: neighbours(layerOf.length, pieces.from, pieces.to),
  };
}

function layersOf(layerOf: Int32Array): readonly Int32Array[] {
  let count = 0;
  for (const layer of layerOf) count = Math.max(count, layer + 1);
  const sizes = new Int32Array(count);
  for (const layer of layerOf) sizes[layer] = (sizes[layer] ?? 0) + 1;
  const layers = Array.from(sizes, (size) => new Int32Array(size));
  sizes.fill(0);
  for (let index = 0; index < layerOf.length; index += 1) {
    const layer = layerOf[index] ?? 0;
    const place = sizes[layer] ?? 0;
    const list = layers[layer];
    if (list !== undefined) list[place] = index;
    sizes[layer] = place + 1;
  }
  return layers;
}

function piecesOf({ source, target, first }: SplitLinks): Pieces {
  const count = source.length === 0 ? 0 : source.length + (first[source.length] ?? 0) - (first[0] ?? 0);
  const from = new Int32Array(count);
  const to = new Int32Array(count);
  let piece = 0;
  for (let link = 0; link < source.length; link += 1) {
    let last = source[link] ?? 0;
    for (let waypoint = first[link] ?? 0; waypoint < (first[link + 1] ?? 0); waypoint += 1) {
      from[piece] = last;
      to[piece] = waypoint;
      last = waypoint;
      piece += 1;
    }
    from[piece] = last;
    to[piece] = target[link] ?? 0;
    piece += 1;
  }
  return { from, to };
}

export function neighbours(size: number, from: Int32Array, to: Int32Array): Neighbours {
  const start = new Int32Array(size + 1);
  for (const index of from) start[index + 1] = (start[index + 1] ?? 0) + 1;
  for (let index = 0; index < size; index += 1) start[index + 1] = (start[index + 1] ?? 0) + (start[index] ?? 0);
  const next = start.slice(0, size);
  const list = new Int32Array(to.length);
  for (let edge = 0; edge < to.length; edge += 1) {
    const index = from[edge] ?? 0;
    const place = next[index] ?? 0;
    list[place] = to[edge] ?? 0;
    next[index] = place + 1;
  }
  return { start, list };
}
