import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { required } from "../base/index.ts";

/**
 * A tree over the hashes of a segment, kept as the roots of its complete subtrees, largest first: as many as the count
 * of leaves has ones in binary. A leaf is the hash of a record; an inner node hashes a one byte and its two children.
 */
export interface Frontier {
  readonly count: number;
  readonly roots: readonly string[];
}

export const EMPTY_FRONTIER: Frontier = { count: 0, roots: [] };

const NODE_PREFIX = Uint8Array.of(1);

export function addLeaf({ count, roots }: Frontier, leaf: string): Frontier {
  const next = [...roots];
  let root = leaf;
  // Every one at the end of the count is a complete subtree of the same size as what has just been made.
  for (let ones = count; ones % 2 === 1; ones = (ones - 1) / 2) {
    root = parentOf(required(next.pop(), "a frontier has a root for every one of its count"), root);
  }
  next.push(root);
  return { count: count + 1, roots: next };
}

/** Null for no leaves: an empty segment is never signed. */
export function rootOf({ roots }: Frontier): string | null {
  const last = roots.at(-1);
  if (last === undefined) return null;
  return roots.slice(0, -1).reduceRight((right, left) => parentOf(left, right), last);
}

function parentOf(left: string, right: string): string {
  return bytesToHex(sha256(concatBytes(NODE_PREFIX, hexToBytes(left), hexToBytes(right))));
}
