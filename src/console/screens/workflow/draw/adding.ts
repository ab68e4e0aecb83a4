import type { JsonObject, TreePath } from "../../../../core/base/index.ts";
import type { OutlineBlock, WorkflowEdit } from "../../../../core/edit/index.ts";
import type { Drawing, DrawnStep } from "./drawing.ts";

/** Returns the edit that adds a step to the selected card: into its first empty block, otherwise after the card. */
export function addTo(card: DrawnStep | null, main: OutlineBlock, step: JsonObject): WorkflowEdit {
  if (card === null) return { kind: "add", list: main.path, after: main.steps.at(-1)?.id ?? null, step };
  const empty = card.step?.blocks.find(({ steps }) => steps.length === 0);
  if (empty !== undefined) return { kind: "add", list: empty.path, after: null, step };
  if (card.step === null) return { kind: "add", list: card.inner ?? main.path, after: card.innerLast, step };
  return { kind: "add", list: card.list, after: card.step.id, step };
}

/** Returns the edit that inserts a step on the line between two cards. A line from a branch leads to the branch's first steps. */
export function insertBetween(drawing: Drawing, from: string, to: string, step: JsonObject): WorkflowEdit | null {
  const [source, target] = [drawing.byKey.get(from), drawing.byKey.get(to)];
  if (source === undefined || target?.step === null || target === undefined) return null;
  if (source.step === null) return { kind: "add", list: target.list, after: null, step };
  return { kind: "insert", list: source.list, from: source.step.id, to: target.step.id, step };
}

/** Returns the edit that connects two cards, or the reason why they cannot be connected. */
export function connecting(drawing: Drawing, from: string, to: string): WorkflowEdit | string {
  const [source, target] = [drawing.byKey.get(from), drawing.byKey.get(to)];
  if (source?.step === undefined || target?.step === undefined) return "Draw from a step to a step.";
  if (source.step === null || target.step === null) return "Steps of a branch begin with it by themselves.";
  if (!isSamePath(source.list, target.list)) {
    return "Steps of a block wait for one another only: connect the block itself.";
  }
  return { kind: "connect", list: source.list, from: source.step.id, to: target.step.id };
}

export function isSamePath(left: TreePath, right: TreePath): boolean {
  return left.length === right.length && left.every((segment, index) => segment === right[index]);
}
