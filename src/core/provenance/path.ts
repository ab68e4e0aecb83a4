import { formatPath, type PathSegment, type TreePath } from "../base/index.ts";

/** A path as events write it: `outputs.list[2].name`. */
export function readPath(text: string): TreePath {
  return [...text.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? "") : Number(index),
  );
}

const isSame = (left: PathSegment | undefined, right: PathSegment | undefined): boolean => left === right;

/** Whether two paths lead to the same value, or one into the value of the other. */
export function isRelated(left: TreePath, right: TreePath): boolean {
  const shared = Math.min(left.length, right.length);
  return left.slice(0, shared).every((segment, index) => isSame(segment, right[index]));
}

/** Results are read under several names that all lead into the outputs. */
const OUTPUT_NAMES: ReadonlySet<PathSegment | undefined> = new Set(["outputs", "data", "json"]);
/** Names under which a result is read as a whole. */
const WHOLE: ReadonlySet<PathSegment | undefined> = new Set(["stdout", "output", "media", "metadata", "approved"]);

export function isOutputName(segment: PathSegment | undefined): boolean {
  return OUTPUT_NAMES.has(segment) || WHOLE.has(segment);
}

/** The way inside a node's outputs; empty for the whole result. */
export function insideOutputs(text: string): TreePath {
  const [head, ...rest] = readPath(text);
  if (head === undefined || WHOLE.has(head)) return [];
  return OUTPUT_NAMES.has(head) ? rest : [head, ...rest];
}

export function outputPath(inside: TreePath): string {
  return formatPath(["outputs", ...inside]);
}
