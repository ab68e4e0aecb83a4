import { required } from "../base/index.ts";
import { dependentsOf } from "./kinship.ts";

/** A wave per node, or a cycle because of which waves cannot be computed. */
export type Layering =
  | { readonly ok: true; readonly waves: readonly number[] }
  | { readonly ok: false; readonly cycle: readonly number[] };

/**
 * Computes the waves of a graph. `parents[i]` holds the indices that node i depends on; the wave is the longest path from a
 * root. A cycle is listed in the direction of dependence: each member depends on the next, the last on the first. It starts at
 * its lowest index and is the shortest through that node. Nodes that only depend on the cycle are not in it.
 */
export function layerGraph(parents: readonly (readonly number[])[]): Layering {
  const dependents = dependentsOf(parents);
  const unsettled = parents.map((list) => list.length);
  const waves = parents.map(() => 0);
  const ready: number[] = [];
  for (const [node, count] of unsettled.entries()) if (count === 0) ready.push(node);
  // The list grows while it is read: it is both the queue and the record of the reached nodes.
  for (let head = 0; head < ready.length; head += 1) {
    const node = at(ready, head);
    for (const dependent of at(dependents, node)) {
      waves[dependent] = Math.max(at(waves, dependent), at(waves, node) + 1);
      const left = at(unsettled, dependent) - 1;
      unsettled[dependent] = left;
      if (left === 0) ready.push(dependent);
    }
  }
  if (ready.length === parents.length) return { ok: true, waves };
  return { ok: false, cycle: findCycle(parents, unsettled) };
}

/** Only nodes on a cycle or behind one are left unsettled, and each of them has an unsettled parent. */
function findCycle(parents: readonly (readonly number[])[], unsettled: readonly number[]): readonly number[] {
  const leftParent = (node: number): number =>
    required(
      at(parents, node).find((parent) => at(unsettled, parent) > 0),
      "an unsettled node has an unsettled parent",
    );
  const positions = new Map<number, number>();
  let node = unsettled.findIndex((count) => count > 0);
  const trail: number[] = [];
  while (!positions.has(node)) {
    positions.set(node, trail.length);
    trail.push(node);
    node = leftParent(node);
  }
  const loop = trail.slice(positions.get(node));
  return shortestCycleThrough(parents, lowest(loop));
}

function lowest(nodes: readonly number[]): number {
  let low = at(nodes, 0);
  for (const node of nodes) if (node < low) low = node;
  return low;
}

/** Searches breadth first along the parents, from a node on a cycle back to itself. */
function shortestCycleThrough(parents: readonly (readonly number[])[], start: number): readonly number[] {
  const reachedFrom = new Map<number, number>();
  const queue = [start];
  for (let head = 0; head < queue.length; head += 1) {
    const node = at(queue, head);
    for (const parent of at(parents, node)) {
      if (parent === start) return pathTo(node, start, reachedFrom);
      if (reachedFrom.has(parent)) continue;
      reachedFrom.set(parent, node);
      queue.push(parent);
    }
  }
  return [start];
}

function pathTo(end: number, start: number, reachedFrom: ReadonlyMap<number, number>): readonly number[] {
  const backwards = [end];
  let node = end;
  while (node !== start) {
    node = required(reachedFrom.get(node), "every node of the search was reached from one before it");
    backwards.push(node);
  }
  return backwards.reverse();
}

function at<T>(list: readonly T[], index: number): T {
  return required(list[index], "a parent is an index into the list of nodes");
}
