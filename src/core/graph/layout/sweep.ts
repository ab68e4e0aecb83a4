import type { LayeredGraph, Neighbours } from "./layered-graph.ts";

const SWEEPS = 8;
/** Means that differ by less than this fraction of a place are equal. */
const FINENESS = 4_096;

/**
 * Orders each layer so that few edges cross: in up to eight sweeps, alternately down and up, each index moves to the mean place
 * of its neighbours. Equal means keep their order, so the same graph is always ordered the same.
 */
export function sweep({ layers, up, down, layerOf }: LayeredGraph): void {
  const places = new Float64Array(layerOf.length);
  const widest = layers.reduce((most, layer) => Math.max(most, layer.length), 0);
  const keys = new Float64Array(widest);
  const copy = new Int32Array(widest);
  for (const layer of layers) number(layer, places);
  // After two sweeps without a change, one in each direction, no further sweep would change anything.
  let still = 0;
  for (let round = 0; round < SWEEPS && still < 2; round += 1) {
    const isDown = round % 2 === 0;
    let hasChanged = false;
    for (let step = 1; step < layers.length; step += 1) {
      const layer = layers[isDown ? step : layers.length - 1 - step];
      if (layer === undefined || !reorder(layer, isDown ? up : down, places, keys, copy)) continue;
      hasChanged = true;
      number(layer, places);
    }
    still = hasChanged ? 0 : still + 1;
  }
}

/** Sorts by mean, then by place. One number encodes both, because plain numbers sort many times faster. */
function reorder(
  layer: Int32Array,
  side: Neighbours,
  places: Float64Array,
  keys: Float64Array,
  copy: Int32Array,
): boolean {
  const { length } = layer;
  let isSorted = true;
  let before = -Infinity;
  for (let place = 0; place < length; place += 1) {
    const mean = Math.round(meanOf(layer[place] ?? 0, side, places) * FINENESS);
    keys[place] = mean * length + place;
    copy[place] = layer[place] ?? 0;
    isSorted &&= mean >= before;
    before = mean;
  }
  if (isSorted) return false;
  const sorted = keys.subarray(0, length).sort();
  for (let place = 0; place < length; place += 1) {
    const key = sorted[place] ?? 0;
    layer[place] = copy[key - Math.floor(key / length) * length] ?? 0;
  }
  return true;
}

/** An index without a neighbour on that side keeps its place. */
function meanOf(index: number, { start, list }: Neighbours, places: Float64Array): number {
  const from = start[index] ?? 0;
  const to = start[index + 1] ?? 0;
  if (from === to) return places[index] ?? 0;
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += places[list[at] ?? 0] ?? 0;
  return sum / (to - from);
}

/** Places are counted from the middle, so that layers of different length can be compared. */
function number(layer: Int32Array, places: Float64Array): void {
  const middle = (layer.length - 1) / 2;
  for (let place = 0; place < layer.length; place += 1) places[layer[place] ?? 0] = place - middle;
}
