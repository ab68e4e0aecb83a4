import { fail, getOwn, isJsonArray, isJsonObject, succeed, type TreePath } from "../base/index.ts";
import { type EditOutcome, freeId, stepsAt } from "./steps.ts";
import { readDocument } from "./document.ts";
import { entryText, withEntryText } from "./entries.ts";
import { idOf } from "./outline.ts";
import { withRenamed } from "./rename.ts";

const NO_STEPS = "There are no steps to paste: copy some first.";

/** Pastes copied steps. A step whose id is taken receives a new one, and so do its mentions among the pasted steps. */
export function pasteSteps(text: string, list: TreePath, after: string | null, entries: string): EditOutcome {
  let pasted = entries;
  const doc = readDocument(pasted);
  const value = doc?.value;
  const from: TreePath = isJsonObject(value) && isJsonArray(getOwn(value, "steps")) ? ["steps"] : [];
  const steps = stepsAt(pasted, from);
  if (steps.length === 0 || steps.some((step) => idOf(step) === "")) return fail(NO_STEPS);
  const ids = steps.map(idOf);
  for (const [index, step] of steps.entries()) {
    // A new id must not be the id of another pasted step either: its own renaming would then change both.
    const id = freeId(text, idOf(step), new Set(ids.toSpliced(index, 1)));
    ids[index] = id;
    pasted = withRenamed(pasted, [...from, index], id);
  }
  const here = stepsAt(text, list);
  const at = after === null ? -1 : here.findIndex((step) => idOf(step) === after);
  const start = at === -1 ? here.length : at + 1;
  let next = text;
  for (const [index, step] of stepsAt(pasted, from).entries()) {
    const entry = entryText(pasted, from, index);
    if (entry !== null) next = withEntryText(next, list, start + index, entry, step);
  }
  return succeed({ text: next, select: [...list, start] });
}

/** Returns steps as they are written, to be pasted in another place. */
export function copySteps(text: string, paths: readonly TreePath[]): string {
  const entries = paths.flatMap((path) => {
    const index = path.at(-1);
    const entry = typeof index === "number" ? entryText(text, path.slice(0, -1), index) : null;
    return entry === null ? [] : [entry];
  });
  return entries.length === 0 ? "" : `${entries.join("\n")}\n`;
}
