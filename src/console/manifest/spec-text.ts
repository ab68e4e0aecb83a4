import { ApiProblem } from "../../client/index.ts";
import { isJsonObject, type JsonObject, type PathSegment } from "../../core/base/index.ts";
import { readSource, type SourceTree } from "../../core/text/index.ts";
import type { EditorProblem } from "../editor/diagnostics.ts";

export interface SpecText {
  /** Null while it cannot be read. */
  readonly spec: JsonObject | null;
  readonly problems: readonly EditorProblem[];
  readonly tree: SourceTree | null;
}

/** The spec of a manifest as its author wrote it. */
export function readSpecText(text: string): SpecText {
  const { tree, problems } = readSource(text);
  const found = problems.map((problem): EditorProblem => ({ ...problem, severity: "error" }));
  if (tree === null || found.length > 0) return { spec: null, problems: found, tree };
  if (isJsonObject(tree.value)) return { spec: tree.value, problems: [], tree };
  const message = "A spec is a map: one key per line, with its value after a colon.";
  return { spec: null, problems: [{ severity: "error", code: "wrong_type", message, line: 1, column: 1 }], tree };
}

/** A problem with the field it is about; a path of null: of the text. */
export interface SpecProblem extends EditorProblem {
  readonly path: readonly PathSegment[] | null;
}

/** The server's problems with a spec, at their lines; null when the error is another one. */
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

/** `[0].spec.members[1].lane` → members, 1, lane: a path into the spec, from wherever it was written. */
export function segmentsOf(path: string): readonly PathSegment[] {
  const inside = path.replace(/^\[\d+\]\.?/, "").replace(/^spec(?:\.|$)/, "");
  return [...inside.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map((match) =>
    match[1] === undefined ? match[0] : Number(match[1]),
  );
}
