import type { LayeredGraph, Neighbours } from "./layered-graph.ts";

const ROUNDS = 6;
/** A straight long edge is worth more than a node exactly in the middle of its neighbours. */
const WAYPOINT_WEIGHT = 6;
const WAYPOINT_GAP = 0.5;

/**
 * Computes the middles across the layers. In alternating directions, each layer takes the positions closest to the middles of
 * its neighbours that preserve its order and gaps: least squares under an order constraint, solved by pooling neighbours that
 * would be too close. Results are whole numbers, so that nothing is blurred, and never closer than the gap.
 */
export function place(graph: LayeredGraph, gap: number): Float64Array {
  const { layers, up, down } = graph;
  const middles = new Float64Array(graph.layerOf.length);
  const pools = new Pools(layers.reduce((most, layer) => Math.max(most, layer.length), 0));
  for (const layer of layers) pack(graph, layer, gap, middles);
  for (let round = 0; round < ROUNDS; round += 1) {
    const isDown = round % 2 === 0;
    for (let step = 1; step < layers.length; step += 1) {
      const layer = layers[isDown ? step : layers.length - 1 - step];
      if (layer !== undefined) settle(graph, layer, isDown ? up : down, gap, middles, pools);
    }
  }
  return middles;
}

function distance({ breadth, nodeCount }: LayeredGraph, left: number, right: number, gap: number): number {
  const between = left < nodeCount && right < nodeCount ? gap : gap * WAYPOINT_GAP;
  return Math.ceil(((breadth[left] ?? 0) + (breadth[right] ?? 0)) / 2 + between);
}

function pack(graph: LayeredGraph, layer: Int32Array, gap: number, middles: Float64Array): void {
  let at = 0;
  for (let place = 0; place < layer.length; place += 1) {
    const index = layer[place] ?? 0;
    if (place > 0) at += distance(graph, layer[place - 1] ?? 0, index, gap);
    middles[index] = at;
  }
  const half = Math.round(at / 2);
  for (const index of layer) middles[index] = (middles[index] ?? 0) - half;
}

/** Neighbouring positions merged into pools, with the sums that give the position of each pool. */
class Pools {
  readonly sum: Float64Array;
  readonly weight: Float64Array;
  readonly end: Int32Array;
  count = 0;

  constructor(size: number) {
    this.sum = new Float64Array(size);
    this.weight = new Float64Array(size);
    this.end = new Int32Array(size);
  }

  mean(pool: number): number {
    return (this.sum[pool] ?? 0) / (this.weight[pool] ?? 1);
  }

  push(wanted: number, weight: number, end: number): void {
    this.sum[this.count] = wanted * weight;
    this.weight[this.count] = weight;
    this.end[this.count] = end;
    this.count += 1;
    while (this.count > 1 && this.mean(this.count - 2) > this.mean(this.count - 1)) this.#merge();
  }

  #merge(): void {
    const last = this.count - 1;
    this.sum[last - 1] = (this.sum[last - 1] ?? 0) + (this.sum[last] ?? 0);
    this.weight[last - 1] = (this.weight[last - 1] ?? 0) + (this.weight[last] ?? 0);
    this.end[last - 1] = this.end[last] ?? 0;
    this.count = last;
  }
}

function settle(
  graph: LayeredGraph,
  layer: Int32Array,
  side: Neighbours,
  gap: number,
  middles: Float64Array,
  pools: Pools,
): void {
  // With the distances subtracted, "far enough apart" becomes "not before", a constraint that pooling can preserve.
  pools.count = 0;
  let offset = 0;
  for (let place = 0; place < layer.length; place += 1) {
    const index = layer[place] ?? 0;
    if (place > 0) offset += distance(graph, layer[place - 1] ?? 0, index, gap);
    pools.push(wantedMiddle(index, side, middles) - offset, index < graph.nodeCount ? 1 : WAYPOINT_WEIGHT, place + 1);
  }
  offset = 0;
  for (let place = 0, pool = 0; place < layer.length; place += 1) {
    const index = layer[place] ?? 0;
    if (place > 0) offset += distance(graph, layer[place - 1] ?? 0, index, gap);
    while (place >= (pools.end[pool] ?? 0)) pool += 1;
    middles[index] = Math.round(pools.mean(pool)) + offset;
  }
}

/** Returns the mean of the neighbours' middles. */
function wantedMiddle(index: number, { start, list }: Neighbours, middles: Float64Array): number {
  const from = start[index] ?? 0;
  const to = start[index + 1] ?? 0;
  if (from === to) return middles[index] ?? 0;
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += middles[list[at] ?? 0] ?? 0;
  return sum / (to - from);
}
