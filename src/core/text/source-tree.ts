import type { Json, PathSegment, Place, TreePath } from "../base/index.ts";
import type { LineTable } from "./line-table.ts";

/** What a text says, and where it says it. */
export interface SourceTree {
  readonly value: Json;
  /** Place of the value at a path, or of the nearest thing above it that exists. */
  placeOf(path: TreePath): Place;
  /** Place of the key that names the value at a path, or of the nearest thing above it that exists. */
  keyPlaceOf(path: TreePath): Place;
}

/** One value in a text. What is inside it is looked up only when asked for. */
export interface Spot {
  readonly start: number;
  child(segment: PathSegment): Member | undefined;
}

/** A value inside another: where its key starts, or the value itself in a list. */
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
