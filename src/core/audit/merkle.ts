import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { required } from "../base/index.ts";

/**
 * A Merkle tree over the hashes of a segment, stored as the roots of its complete subtrees, largest first: one root per
 * 1 bit of the leaf count. A leaf is the hash of a record; an inner node hashes a byte 1 and its two children.
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
  // Each trailing 1 bit of the count is a complete subtree of the same size as the new one, so the two are merged.
  for (let ones = count; ones % 2 === 1; ones = (ones - 1) / 2) {
    root = parentOf(required(next.pop(), "a frontier has a root for every one of its count"), root);
  }
  next.push(root);
  return { count: count + 1, roots: next };
}

/** Returns the root of the tree. Null without leaves, because an empty segment is never signed. */
export function rootOf({ roots }: Frontier): string | null {
  const last = roots.at(-1);
  if (last === undefined) return null;
  return roots.slice(0, -1).reduceRight((right, left) => parentOf(left, right), last);
}

function parentOf(left: string, right: string): string {
  return bytesToHex(sha256(concatBytes(NODE_PREFIX, hexToBytes(left), hexToBytes(right))));
}
