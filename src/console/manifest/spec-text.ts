import { ApiProblem } from "../../client/index.ts";
import { isJsonObject, type JsonObject, type PathSegment } from "../../core/base/index.ts";
import { readSource, type SourceTree } from "../../core/text/index.ts";
import type { EditorProblem } from "../editor/diagnostics.ts";

export interface SpecText {
  /** Null when the text cannot be read. */
  readonly spec: JsonObject | null;
  readonly problems: readonly EditorProblem[];
  readonly tree: SourceTree | null;
}

/** Reads the spec of a manifest from the text of its author. */
export function readSpecText(text: string): SpecText {
  const { tree, problems } = readSource(text);
  const found = problems.map((problem): EditorProblem => ({ ...problem, severity: "error" }));
  if (tree === null || found.length > 0) return { spec: null, problems: found, tree };
  if (isJsonObject(tree.value)) return { spec: tree.value, problems: [], tree };
  const message = "A spec is a map: one key per line, with its value after a colon.";
  return { spec: null, problems: [{ severity: "error", code: "wrong_type", message, line: 1, column: 1 }], tree };
}

/** A problem with the path of its field. The path is null for a problem of the whole text. */
export interface SpecProblem extends EditorProblem {
  readonly path: readonly PathSegment[] | null;
}

/** Returns the server's problems with a spec at their lines. Null when the error is of another kind. */
export function placedProblems(problem: Error, tree: SourceTree): readonly SpecProblem[] | null {
  if (!(problem instanceof ApiProblem) || problem.problems.length === 0) return null;
  return problem.problems.map(({ code, message, path, hint }) => ({
    severity: "error",
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    path: segmentsOf(path),
    ...tree.keyPlaceOf(segmentsOf(path)),
  }));
}

/** Converts a problem's path to segments inside the spec: `[0].spec.members[1].lane` → members, 1, lane. */
export function segmentsOf(path: string): readonly PathSegment[] {
  const inside = path.replace(/^\[\d+\]\.?/, "").replace(/^spec(?:\.|$)/, "");
  return [...inside.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map((match) =>
    match[1] === undefined ? match[0] : Number(match[1]),
  );
}
