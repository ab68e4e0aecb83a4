import type { Json, PathSegment, Place, TreePath } from "../base/index.ts";
import type { LineTable } from "./line-table.ts";

/** The value of a text, and the places of its parts. */
export interface SourceTree {
  readonly value: Json;
  /** Returns the place of the value at a path, or of its nearest existing ancestor. */
  placeOf(path: TreePath): Place;
  /** Returns the place of the key at a path, or of its nearest existing ancestor. */
  keyPlaceOf(path: TreePath): Place;
}

/** One value in a text. Its children are located on demand. */
export interface Spot {
  readonly start: number;
  child(segment: PathSegment): Member | undefined;
}

/** A value inside another, with the start of its key, or of the value itself in a list. */
export interface Member {
  readonly keyStart: number;
  readonly spot: Spot;
}

export function makeTree(value: Json, root: Spot, lines: LineTable): SourceTree {
  return {
    value,
    placeOf: (path) => lines.placeOf(nearest(root, path).spot.start),
    keyPlaceOf: (path) => lines.placeOf(nearest(root, path).keyStart),
  };
}

function nearest(root: Spot, path: TreePath): Member {
  let member: Member = { keyStart: root.start, spot: root };
  for (const segment of path) {
    const next = member.spot.child(segment);
    if (next === undefined) break;
    member = next;
  }
  return member;
}
