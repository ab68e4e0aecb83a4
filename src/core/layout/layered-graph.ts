/** A graph on layers, by index, with the lists of neighbours flat: what the sweeps and the placement walk many times. */
export interface LayeredGraph {
  /** Indices of each layer, in the order they are drawn. */
  readonly layers: number[][];
  readonly layerOf: Int32Array;
  /** Across the layers: how much room it takes. */
  readonly breadth: Float64Array;
  /** Indices from here on are waypoints of long edges, which take no room of their own. */
  readonly nodeCount: number;
  readonly up: Neighbours;
  readonly down: Neighbours;
}

/** The neighbours of `i` are `list[start[i]]` up to, but without, `list[start[i + 1]]`. */
export interface Neighbours {
  readonly start: Int32Array;
  readonly list: Int32Array;
}

export function neighbours(size: number, from: readonly number[], to: readonly number[]): Neighbours {
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
