import type { LayeredGraph, Neighbours } from "./layered-graph.ts";

const SWEEPS = 8;

/**
 * Orders each layer so that few edges cross: eight times, down and up in turn, everything moves to the mean place of
 * its neighbours. Equal means keep the order they have, so the same graph is always ordered the same.
 */
export function sweep({ layers, up, down, layerOf }: LayeredGraph): void {
  const places = new Float64Array(layerOf.length);
  const means = new Float64Array(layerOf.length);
  for (const layer of layers) number(layer, places);
  for (let round = 0; round < SWEEPS; round += 1) {
    const isDown = round % 2 === 0;
    for (let step = 1; step < layers.length; step += 1) {
      const layer = layers[isDown ? step : layers.length - 1 - step];
      if (layer !== undefined) reorder(layer, isDown ? up : down, places, means);
    }
  }
}

function reorder(layer: number[], side: Neighbours, places: Float64Array, means: Float64Array): void {
  let isSorted = true;
  let before = -Infinity;
  for (const index of layer) {
    const mean = meanOf(index, side, places);
    means[index] = mean;
    isSorted &&= mean >= before;
    before = mean;
  }
  if (isSorted) return;
  layer.sort((left, right) => (means[left] ?? 0) - (means[right] ?? 0) || (places[left] ?? 0) - (places[right] ?? 0));
  number(layer, places);
}

/** Whatever has no neighbour on that side stays where it is. */
function meanOf(index: number, { start, list }: Neighbours, places: Float64Array): number {
  const from = start[index] ?? 0;
  const to = start[index + 1] ?? 0;
  if (from === to) return places[index] ?? 0;
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += places[list[at] ?? 0] ?? 0;
  return sum / (to - from);
}

/** Places are counted from the middle, so that layers of different length can be compared. */
function number(layer: readonly number[], places: Float64Array): void {
  const middle = (layer.length - 1) / 2;
  for (let place = 0; place < layer.length; place += 1) places[layer[place] ?? 0] = place - middle;
}
