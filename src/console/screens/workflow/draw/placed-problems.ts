import type { TreePath } from "../../../../core/base/index.ts";
import type { EditorProblem } from "../../../editor/diagnostics.ts";
import type { CardMark } from "../../../graph/graph-editing.ts";
import type { Drawing } from "./drawing.ts";

/** A problem with its location: the card, and the path of the field. */
export interface PlacedProblem extends EditorProblem {
  readonly path: TreePath;
  /** Null when the problem is in the document itself. */
  readonly key: string | null;
}

/** Splits a path: `steps[0].choose[1].when` → steps, 0, choose, 1, when. */
export function segmentsOfPath(path: string): TreePath {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map((match) =>
    match[1] === undefined ? match[0] : Number(match[1]),
  );
}

export function placeProblems(
  problems: readonly (EditorProblem & { readonly path: string })[],
  drawing: Drawing | null,
): readonly PlacedProblem[] {
  const keys = new Map([...(drawing?.byKey.values() ?? [])].map(({ path, key }) => [JSON.stringify(path), key]));
  return problems.map((problem) => {
    const path = segmentsOfPath(problem.path);
    let key: string | null = null;
    for (let length = path.length; length > 0 && key === null; length -= 1) {
      key = keys.get(JSON.stringify(path.slice(0, length))) ?? null;
    }
    return { ...problem, path, key };
  });
}

/** Returns the marks of the cards. A closed card also shows the problems inside it. */
export function marksOf(problems: readonly PlacedProblem[]): ReadonlyMap<string, CardMark> {
  const marks = new Map<string, CardMark>();
  for (const { key, severity, message } of problems) {
    if (key === null) continue;
    const before = marks.get(key);
    const tone = severity === "error" || before?.tone === "bad" ? "bad" : "warn";
    const text = before === undefined ? message : `${before.text}\n${message}`;
    marks.set(key, { tone, text, count: (before?.count ?? 0) + 1 });
  }
  return marks;
}
