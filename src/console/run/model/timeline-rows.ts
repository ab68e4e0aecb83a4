import { compareNatural } from "../../../core/graph/layout/index.ts";
import type { GraphNode } from "../../graph/graph-node.ts";

export interface TimelineRow {
  readonly id: string;
  readonly depth: number;
  /** Instances of the node that can be shown or hidden below it. */
  readonly instances: readonly string[];
  readonly isOpen: boolean;
}

/** Returns the rows in the order in which the nodes began. Nodes that have not begun come last, in plan order. */
export function timelineRows(
  nodes: readonly GraphNode[],
  open: ReadonlySet<string>,
  begunAt: (nodeId: string) => number | undefined,
): readonly TimelineRow[] {
  const places = naturalOrder(nodes).map((node) => ({ node, at: begunAt(node.id) ?? Infinity }));
  // The sort is stable: nodes with the same start time keep their natural order.
  places.sort((left, right) => (left.at === right.at ? 0 : left.at - right.at));
  return places.flatMap(({ node: { id, instances } }) => {
    const isOpen = instances.length > 0 && open.has(id);
    const below = isOpen ? instances.map((each) => ({ id: each, depth: 1, instances: [], isOpen: false })) : [];
    return [{ id, depth: 0, instances, isOpen }, ...below];
  });
}

const ordered = new WeakMap<readonly GraphNode[], readonly GraphNode[]>();

/** Sorts nodes by wave, then naturally by id. Cached per list: during a run only the set of started nodes changes. */
function naturalOrder(nodes: readonly GraphNode[]): readonly GraphNode[] {
  const known = ordered.get(nodes);
  if (known !== undefined) return known;
  const sorted = nodes.toSorted((left, right) => left.wave - right.wave || compareNatural(left.id, right.id));
  ordered.set(nodes, sorted);
  return sorted;
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];
const HOUR = 3_600_000;

/** Returns round tick marks for a time span, at most `most` of them (plus the zero mark). */
export function ticksOf(lengthMs: number, most: number): readonly number[] {
  if (lengthMs <= 0 || most < 1) return [0];
  const step = STEPS.find((each) => lengthMs / each <= most) ?? Math.ceil(lengthMs / most / HOUR) * HOUR;
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step);
}
