import { formatPath, type PathSegment, type TreePath } from "../base/index.ts";

/** Parses a path as written in events: `outputs.list[2].name`. */
export function readPath(text: string): TreePath {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? "") : Number(index),
  );
}

const isSame = (left: PathSegment | undefined, right: PathSegment | undefined): boolean => left === right;

/** Returns whether two paths are equal, or one is a prefix of the other. */
export function isRelated(left: TreePath, right: TreePath): boolean {
  const shared = Math.min(left.length, right.length);
  return left.slice(0, shared).every((segment, index) => isSame(segment, right[index]));
}

/** Names that all refer to the outputs of a result. */
const OUTPUT_NAMES: ReadonlySet<PathSegment | undefined> = new Set(["outputs", "data", "json"]);
/** Names that refer to a result as a whole. */
const WHOLE: ReadonlySet<PathSegment | undefined> = new Set(["stdout", "output", "media", "metadata", "approved"]);

export function isOutputName(segment: PathSegment | undefined): boolean {
  return OUTPUT_NAMES.has(segment) || WHOLE.has(segment);
}

/** Returns the path inside the outputs of a node; empty for the whole result. */
export function insideOutputs(text: string): TreePath {
  const [head, ...rest] = readPath(text);
  if (head === undefined || WHOLE.has(head)) return [];
  return OUTPUT_NAMES.has(head) ? rest : [head, ...rest];
}

export function outputPath(inside: TreePath): string {
  return formatPath(["outputs", ...inside]);
}
