import {
  formatPath,
  getOwn,
  isJsonArray,
  isJsonObject,
  LIMITS,
  type Json,
  type Place,
  type Problem,
  type TreePath,
} from "../base/index.ts";
import type { SourceTree } from "../text/index.ts";
import type { Finding } from "./report.ts";
import { sourceLine } from "./source-line.ts";

/** Returns findings with line and column, in the order of the text, limited to the number that is shown. */
export function placeFindings(
  findings: readonly Finding[],
  tree: SourceTree,
  source: string | Uint8Array,
): readonly Problem[] {
  const placed = findings.map((finding) => ({ finding, place: placeOf(finding, tree) }));
  placed.sort((left, right) => comparePlaces(left.place, right.place));
  return placed.slice(0, LIMITS.problemsMax).map(({ finding, place }) => {
    const shift = finding.offset === undefined ? 0 : shiftOf(finding, finding.offset, place, tree, source);
    return toProblem(finding, { line: place.line, column: place.column + shift });
  });
}

export function comparePlaces(left: Place, right: Place): number {
  return left.line - right.line || left.column - right.column;
}

export function toProblem(finding: Finding, place: Place): Problem {
  const hint = typeof finding.hint === "function" ? finding.hint() : finding.hint;
  return {
    code: finding.code,
    message: finding.message,
    path: formatPath(finding.path),
    line: place.line,
    column: place.column,
    ...(hint === undefined ? {} : { hint }),
  };
}

function placeOf(finding: Finding, tree: SourceTree): Place {
  const path = finding.at ?? finding.path;
  return finding.isAtKey === true ? tree.keyPlaceOf(path) : tree.placeOf(path);
}

/**
 * Returns the distance in columns from the start of a value to its finding. With escapes, folds and blocks the value
 * differs from the text of the file. Then 0 is returned, because a wrong column is worse than the start of the value.
 */
function shiftOf(
  finding: Finding,
  offset: number,
  place: Place,
  tree: SourceTree,
  source: string | Uint8Array,
): number {
  const value = valueAt(tree.value, finding.at ?? finding.path);
  if (typeof value !== "string" || finding.isAtKey === true) return 0;
  const written = sourceLine(source, place.line).slice(place.column - 1);
  const isQuoted = written.startsWith('"') || written.startsWith("'");
  const start = isQuoted ? 1 : 0;
  return written.startsWith(value.slice(0, offset), start) ? start + offset : 0;
}

function valueAt(root: Json, path: TreePath): Json | undefined {
  let here: Json | undefined = root;
  for (const segment of path) {
    if (typeof segment === "number") here = isJsonArray(here) ? here[segment] : undefined;
    else here = isJsonObject(here) ? getOwn(here, segment) : undefined;
  }
  return here;
}
