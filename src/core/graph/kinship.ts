import { required } from "../base/index.ts";

/** Inverts the graph: returns for each node the nodes that depend on it, in order of their indices. */
export function dependentsOf(parents: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const dependents: number[][] = parents.map(() => []);
  for (const [node, list] of parents.entries()) {
    for (const parent of list) required(dependents[parent], "a parent is an index into the list of nodes").push(node);
  }
  return dependents;
}

export interface Ancestors {
  /** Returns whether `ancestor` is on a path from a root to `node`. A node is not its own ancestor. */
  has(node: number, ancestor: number): boolean;
}

/** Computes the ancestor sets of an acyclic graph, one row of bits per node, for many lookups while a plan is compiled. */
export function ancestorsOf(parents: readonly (readonly number[])[], waves: readonly number[]): Ancestors {
  const width = Math.ceil(parents.length / 32);
  const bits = new Uint32Array(width * parents.length);
  for (const node of inWaveOrder(waves)) {
    const row = node * width;
    for (const parent of parents[node] ?? []) {
      const parentRow = parent * width;
      for (let word = 0; word < width; word += 1) {
        bits[row + word] = (bits[row + word] ?? 0) | (bits[parentRow + word] ?? 0);
      }
      bits[row + (parent >>> 5)] = (bits[row + (parent >>> 5)] ?? 0) | (1 << (parent & 31));
    }
  }
  return {
    has: (node, ancestor) => {
      if (!isIndex(node, parents.length) || !isIndex(ancestor, parents.length)) return false;
      return (((bits[node * width + (ancestor >>> 5)] ?? 0) >>> (ancestor & 31)) & 1) === 1;
    },
  };
}

function isIndex(value: number, length: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < length;
}

/** Returns the nodes in wave order. Parents are always in an earlier wave, so a row is complete before it is read. */
function inWaveOrder(waves: readonly number[]): readonly number[] {
  const nodesByWave: number[][] = [];
  for (const [node, wave] of waves.entries()) {
    const nodes = nodesByWave[wave];
    if (nodes === undefined) nodesByWave[wave] = [node];
    else nodes.push(node);
  }
  return nodesByWave.flat();
}

/** Returns all nodes that depend on a root, directly or not. A root is included only when it depends on another root. */
export function descendantsOf(
  dependents: readonly (readonly number[])[],
  roots: readonly number[],
): ReadonlySet<number> {
  const reached = new Set<number>();
  const queue = [...roots];
  for (let head = 0; head < queue.length; head += 1) {
    for (const dependent of dependents[queue[head] ?? -1] ?? []) {
      if (reached.has(dependent)) continue;
      reached.add(dependent);
      queue.push(dependent);
    }
  }
  return reached;
}
