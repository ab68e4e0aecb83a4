import type { NodeView } from "../../../core/view/index.ts";

/** The fields of a node that a line of the list shows. */
export type NodeRow = Pick<NodeView, (typeof SHOWN)[number]>;

const SHOWN = [
  "id",
  "label",
  "wave",
  "status",
  "waitingReason",
  "attempts",
  "durationMs",
  "costMicros",
  "errorCode",
  "failedInstances",
  "isCarried",
  "isHandled",
] as const satisfies readonly (keyof NodeView)[];

/**
 * Lines of the list. If no visible field of a node has changed, for example while it streams, its line stays the same
 * object and is not drawn again.
 */
export class NodeRows {
  #rows = new Map<string, NodeRow>();

  of(views: Iterable<NodeView>): readonly NodeRow[] {
    const rows = new Map<string, NodeRow>();
    for (const view of views) {
      const before = this.#rows.get(view.id);
      rows.set(view.id, before !== undefined && isSame(before, view) ? before : rowOf(view));
    }
    this.#rows = rows;
    return [...rows.values()];
  }
}

function isSame(row: NodeRow, view: NodeView): boolean {
  return SHOWN.every((field) => row[field] === view[field]);
}

function rowOf(view: NodeView): NodeRow {
  const { id, label, wave, status, waitingReason, attempts, durationMs, costMicros, errorCode } = view;
  const { failedInstances, isCarried, isHandled } = view;
  const figures = { attempts, durationMs, costMicros, failedInstances };
  return { id, label, wave, status, waitingReason, errorCode, isCarried, isHandled, ...figures };
}
