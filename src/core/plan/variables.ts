import { required } from "../base/index.ts";
import { ancestorsOf } from "../graph/index.ts";
import type { Order } from "./order.ts";

/** The ancestor whose declared output a variable refers to at one node. */
export interface Declaration {
  readonly node: number;
  /** Whether an earlier ancestor declares the same name too. */
  readonly isAmbiguous: boolean;
}

export interface Variables {
  isAncestor(node: number, ancestor: number): boolean;
  find(node: number, name: string): Declaration | undefined;
  /** Returns every node that declares the name, including nodes that do not run before. */
  declarers(name: string): readonly number[];
  /** Returns every ancestor that declares the name, in plan order. */
  declaringAncestors(node: number, name: string): readonly number[];
}

/** Up to this many declaring nodes are checked one by one. With more, one pass over the graph computes the result for all nodes. */
const SCAN_MAX = 256;

/** `declared[i]` holds the output names of node `i`. Ancestors are computed only at the first lookup that needs them. */
export function createVariables(order: Order, declared: readonly (readonly string[])[]): Variables {
  const nodesByName = new Map<string, number[]>();
  for (const [node, names] of declared.entries()) {
    for (const name of names) {
      const nodes = nodesByName.get(name);
      if (nodes === undefined) nodesByName.set(name, [node]);
      else nodes.push(node);
    }
  }
  let ancestors: ReturnType<typeof ancestorsOf> | null = null;
  const isAncestor = (node: number, ancestor: number): boolean => {
    if (ancestor >= node) return false;
    ancestors ??= ancestorsOf(order.parents, order.waves);
    return ancestors.has(node, ancestor);
  };
  const latestByName = new Map<string, Latest>();

  return {
    isAncestor,
    find(node, name) {
      const nodes = nodesByName.get(name);
      if (nodes === undefined) return undefined;
      if (nodes.length <= SCAN_MAX) return scan(nodes, (candidate) => isAncestor(node, candidate));
      let latest = latestByName.get(name);
      if (latest === undefined) {
        latest = walk(order.parents, nodes);
        latestByName.set(name, latest);
      }
      const winner = required(latest.first[node], "every node has an entry");
      return winner < 0 ? undefined : { node: winner, isAmbiguous: required(latest.second[node], "likewise") >= 0 };
    },
    declarers: (name) => nodesByName.get(name) ?? [],
    declaringAncestors(node, name) {
      return (nodesByName.get(name) ?? []).filter((candidate) => isAncestor(node, candidate));
    },
  };
}

function scan(nodes: readonly number[], isVisible: (node: number) => boolean): Declaration | undefined {
  let winner: number | undefined;
  for (let at = nodes.length - 1; at >= 0; at -= 1) {
    const candidate = required(nodes[at], "the list is walked within its bounds");
    if (!isVisible(candidate)) continue;
    if (winner !== undefined) return { node: winner, isAmbiguous: true };
    winner = candidate;
  }
  return winner === undefined ? undefined : { node: winner, isAmbiguous: false };
}

/** The last and second-last declaring ancestor of each node, -1 for none. */
interface Latest {
  readonly first: Int32Array;
  readonly second: Int32Array;
}

/** In plan order parents precede their dependents, so one pass propagates the two latest declarations through the graph. */
function walk(parents: Order["parents"], nodes: readonly number[]): Latest {
  const isDeclaring = new Uint8Array(parents.length);
  for (const node of nodes) isDeclaring[node] = 1;
  const first = new Int32Array(parents.length).fill(-1);
  const second = new Int32Array(parents.length).fill(-1);
  for (const [node, list] of parents.entries()) {
    for (const parent of list) {
      if (isDeclaring[parent] === 1) offer(first, second, node, parent);
      offer(first, second, node, first[parent] ?? -1);
      offer(first, second, node, second[parent] ?? -1);
    }
  }
  return { first, second };
}

function offer(first: Int32Array, second: Int32Array, node: number, candidate: number): void {
  const top = first[node] ?? -1;
  if (candidate > top) {
    second[node] = top;
    first[node] = candidate;
  } else if (candidate < top && candidate > (second[node] ?? -1)) second[node] = candidate;
}
