import { isJsonArray, type Json, type Outcome, type TreePath } from "../base/index.ts";
import { valueAt, withValue, without } from "./change.ts";
import { readDocument } from "./document.ts";
import { withEntry } from "./entries.ts";
import { idOf, readOutline, type OutlineBlock, type OutlineStep, stepsOf } from "./outline.ts";
import { orders } from "./reference.ts";
import { STEP_ORDER } from "./step-order.ts";

export interface Edited {
  readonly text: string;
  /** The step to select after the edit. */
  readonly select: TreePath | null;
}

/** The edited text, or the reason why nothing was changed, as text for a person. */
export type EditOutcome = Outcome<Edited, string>;

export function stepsAt(text: string, list: TreePath): readonly Json[] {
  const found = valueAt(readDocument(text)?.value, list);
  return isJsonArray(found) ? found : [];
}

/** Returns an id that no step of the document has: `base`, else `base_2` and so on. */
export function freeId(text: string, base: string, taken: ReadonlySet<string> = new Set()): string {
  const outline = readOutline(text);
  const known = new Set([...(outline === null ? [] : stepsOf(outline).map(({ id }) => id)), ...taken]);
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? base : `${base}_${count}`;
    if (!known.has(id)) return id;
  }
}

export function pathOf(text: string, list: TreePath, id: string): TreePath | null {
  const index = stepsAt(text, list).findIndex((step) => idOf(step) === id);
  return index === -1 ? null : [...list, index];
}

export function ordersOf(text: string, step: TreePath): ReturnType<typeof orders> {
  const value = valueAt(readDocument(text)?.value, [...step, "depends_on"]);
  return orders(value, [...step, "depends_on"]);
}

export function withOrder(text: string, step: TreePath, id: string): string {
  const found = ordersOf(text, step);
  if (found.some((order) => order.id === id)) return text;
  const at = [...step, "depends_on"];
  return found.length === 0 ? withValue(text, at, [id], STEP_ORDER) : withEntry(text, at, found.length, id);
}

export function withoutOrder(text: string, step: TreePath, id: string): string {
  const index = ordersOf(text, step).findIndex((order) => order.id === id);
  return index === -1 ? text : without(text, [...step, "depends_on", index]);
}

export function blockAt(text: string, list: TreePath): OutlineBlock | null {
  const outline = readOutline(text);
  if (outline === null) return null;
  const key = JSON.stringify(list);
  const all = [
    outline.main,
    ...(outline.last === null ? [] : [outline.last]),
    ...stepsOf(outline).flatMap(({ blocks }) => blocks),
  ];
  return all.find(({ path }) => JSON.stringify(path) === key) ?? null;
}

/** Returns every step that a step waits for, directly or indirectly. */
export function ancestorsOf({ steps }: OutlineBlock, id: string): ReadonlySet<string> {
  const parents = new Map(steps.map((step) => [step.id, step.parents]));
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const parent of parents.get(next) ?? []) {
      if (!found.has(parent)) open.push(parent);
      found.add(parent);
    }
  }
  return found;
}

/** Returns the innermost step that contains a path. */
export function stepAround(text: string, path: TreePath): OutlineStep | null {
  const outline = readOutline(text);
  if (outline === null) return null;
  const around = stepsOf(outline).filter((step) => step.path.every((segment, index) => path[index] === segment));
  return around.at(-1) ?? null;
}

/** Removes a plain dependency on a step. A dependency that states how the step must have ended stays. */
export function withoutPlainOrder(text: string, step: TreePath, id: string): string {
  const found = ordersOf(text, step).find((order) => order.id === id);
  return found === undefined || found.at.at(-1) === "step" ? text : withoutOrder(text, step, id);
}
