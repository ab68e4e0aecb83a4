import { fail, type Json, type JsonObject, succeed, type TreePath } from "../base/index.ts";
import { valueAt, withValue, without } from "./change.ts";
import { readDocument } from "./document.ts";
import { withEntry, withoutEntry } from "./entries.ts";
import { groupSteps } from "./group.ts";
import { idOf } from "./outline.ts";
import { pasteSteps } from "./paste.ts";
import { withRenamed } from "./rename.ts";
import { DOCUMENT_ORDER, STEP_ORDER } from "./step-order.ts";
import {
  stepAround,
  withoutPlainOrder,
  ancestorsOf,
  blockAt,
  type EditOutcome,
  freeId,
  ordersOf,
  pathOf,
  stepsAt,
  withOrder,
  withoutOrder,
} from "./steps.ts";

/** An edit a person makes on the canvas or in a form. Lists are identified by their path, the steps in them by id. */
export type WorkflowEdit =
  | { readonly kind: "set"; readonly path: TreePath; readonly value: Json }
  | { readonly kind: "remove"; readonly path: TreePath }
  /** Adds an entry to any list. */
  | { readonly kind: "append"; readonly list: TreePath; readonly index: number; readonly value: Json }
  /** Adds a step after another one, which it depends on. Null: adds it at the end, without dependencies. */
  | { readonly kind: "add"; readonly list: TreePath; readonly after: string | null; readonly step: JsonObject }
  /** Adds a step between two connected steps. */
  | {
      readonly kind: "insert";
      readonly list: TreePath;
      readonly from: string;
      readonly to: string;
      readonly step: JsonObject;
    }
  | { readonly kind: "connect"; readonly list: TreePath; readonly from: string; readonly to: string }
  | { readonly kind: "disconnect"; readonly list: TreePath; readonly from: string; readonly to: string }
  | { readonly kind: "rename"; readonly path: TreePath; readonly id: string }
  | { readonly kind: "delete"; readonly paths: readonly TreePath[] }
  | { readonly kind: "group"; readonly list: TreePath; readonly ids: readonly string[] }
  /** Adds copied steps, as they were written, after another step. */
  | { readonly kind: "paste"; readonly list: TreePath; readonly after: string | null; readonly entries: string };

const UNREADABLE = "The text cannot be read as it stands: fix its first problem before you go on drawing.";

export function editWorkflow(text: string, edit: WorkflowEdit): EditOutcome {
  const doc = readDocument(text);
  if (doc === null) return fail(UNREADABLE);
  const outcome = applied(text, edit);
  if (!outcome.ok) return outcome;
  // An edit that makes the text unreadable is a bug of Sluice, so it is refused.
  return readDocument(outcome.value.text) === null ? fail(UNREADABLE) : outcome;
}

function applied(text: string, edit: WorkflowEdit): EditOutcome {
  switch (edit.kind) {
    case "set":
      return kept(withParents(text, withValue(text, edit.path, edit.value, orderFor(edit.path)), edit.path));
    case "remove":
      return kept(withParents(text, without(text, edit.path), edit.path));
    case "append":
      return kept(withEntry(text, edit.list, edit.index, edit.value));
    case "add":
      return added(text, edit.list, edit.after, edit.step);
    case "insert":
      return inserted(text, edit);
    case "connect":
      return connected(text, edit);
    case "disconnect":
      return disconnected(text, edit);
    case "rename":
      return renamed(text, edit.path, edit.id);
    case "delete":
      return kept(deleted(text, edit.paths));
    case "group":
      return groupSteps(text, edit.list, edit.ids);
    case "paste":
      return pasteSteps(text, edit.list, edit.after, edit.entries);
  }
}

function orderFor(path: TreePath): readonly string[] {
  return path.length === 1 ? DOCUMENT_ORDER : STEP_ORDER;
}

/**
 * An edited field changes the effect of a step, not its order: a step it no longer reads becomes a `depends_on` entry,
 * and a step it now reads no longer needs one.
 */
function withParents(before: string, after: string, path: TreePath): string {
  const step = stepAround(before, path);
  if (step === null || path[step.path.length] === "depends_on" || path[step.path.length] === "id") return after;
  const now = stepAround(after, step.path);
  if (now === null) return after;
  let next = after;
  for (const id of step.parents) if (!now.parents.includes(id)) next = withOrder(next, step.path, id);
  for (const id of now.reads) if (!step.reads.includes(id)) next = withoutPlainOrder(next, step.path, id);
  return next;
}

function kept(text: string): EditOutcome {
  return succeed({ text, select: null });
}

function added(text: string, list: TreePath, after: string | null, step: JsonObject): EditOutcome {
  const steps = stepsAt(text, list);
  const at = after === null ? -1 : steps.findIndex((each) => idOf(each) === after);
  const index = at === -1 ? steps.length : at + 1;
  const id = freeId(text, idOf(step) === "" ? "step" : idOf(step));
  const { id: _, ...rest } = step;
  const made = { id, ...(at === -1 ? {} : { depends_on: [String(after)] }), ...rest };
  return succeed({ text: withEntry(text, list, index, made), select: [...list, index] });
}

type BetweenEdit = Extract<WorkflowEdit, { kind: "insert" }>;

function inserted(text: string, { list, from, to, step }: BetweenEdit): EditOutcome {
  const made = added(text, list, from, step);
  if (!made.ok || made.value.select === null) return made;
  const id = idOf(valueAt(readDocument(made.value.text)?.value, made.value.select));
  const target = pathOf(made.value.text, list, to);
  if (target === null) return made;
  const waiting = withOrder(made.value.text, target, id);
  return succeed({ text: withoutOrder(waiting, target, from), select: made.value.select });
}

function connected(text: string, { list, from, to }: Extract<WorkflowEdit, { kind: "connect" }>): EditOutcome {
  const block = blockAt(text, list);
  const target = pathOf(text, list, to);
  if (block === null || target === null || from === to) return fail("A step cannot wait for itself.");
  if (ancestorsOf(block, from).has(to))
    return fail(`"${from}" waits for "${to}" already: the two would wait for each other.`);
  return succeed({ text: withOrder(text, target, from), select: target });
}

function disconnected(text: string, { list, from, to }: Extract<WorkflowEdit, { kind: "disconnect" }>): EditOutcome {
  const target = pathOf(text, list, to);
  if (target === null) return fail(`There is no step "${to}".`);
  const reads = blockAt(text, list)?.steps.find(({ id }) => id === to)?.reads ?? [];
  const next = withoutOrder(text, target, from);
  if (reads.includes(from) && next === text) {
    return fail(
      `"${to}" reads a value of "${from}": take the reference out of its fields, and the connection goes with it.`,
    );
  }
  return succeed({ text: next, select: target });
}

const ID = /^[a-z][a-z0-9_]{0,63}$/;

function renamed(text: string, path: TreePath, id: string): EditOutcome {
  if (!ID.test(id)) return fail("An id is made of lower-case letters, digits and _, and begins with a letter.");
  const others = stepsAt(text, path.slice(0, -1)).filter((_, index) => index !== path.at(-1));
  if (others.some((step) => idOf(step) === id)) return fail(`Another step is called "${id}" already.`);
  return succeed({ text: withRenamed(text, path, id), select: path });
}

/** Deletes later steps first, so that earlier positions stay valid. A step that waited for a deleted one takes over its `depends_on`. */
function deleted(text: string, paths: readonly TreePath[]): string {
  let next = text;
  const latest = [...paths].sort((left, right) => comparePaths(right, left));
  for (const path of latest) {
    const list = path.slice(0, -1);
    const index = path.at(-1);
    if (typeof index !== "number") next = without(next, path);
    else if (list.at(-1) === "choose") next = without(next, path);
    else next = withoutStep(next, list, index);
  }
  return next;
}

function withoutStep(text: string, list: TreePath, index: number): string {
  const id = idOf(stepsAt(text, list)[index]);
  const before = ordersOf(text, [...list, index]).map((order) => order.id);
  let next = text;
  for (const [at] of stepsAt(text, list).entries()) {
    const path = [...list, at];
    if (at === index || id === "" || !ordersOf(next, path).some((order) => order.id === id)) continue;
    for (const earlier of before) next = withOrder(next, path, earlier);
    next = withoutOrder(next, path, id);
  }
  return withoutEntry(next, list, index);
}

function comparePaths(left: TreePath, right: TreePath): number {
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one, other] = [left[at], right[at]];
    if (one === other) continue;
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one ?? "") < String(other ?? "") ? -1 : 1;
  }
  return 0;
}
