import type { MadeBy, LineageView } from "../../../client/index.ts";

/** A line for a value of a lineage, below the value from which it was reached. */
export interface LineageLine {
  readonly key: string;
  readonly depth: number;
  readonly runId: string;
  readonly workflow: string;
  readonly nodeId: string | null;
  readonly path: string;
  /** Name of the value at the place to which it was passed, and its change on the way. */
  readonly via: string | null;
  readonly madeBy: MadeBy | null;
  /** Reason why the lineage ends at this value. */
  readonly end: LineageView["points"][number]["end"];
  /** True when the value and its further lineage are already shown on another line. */
  readonly isRepeated: boolean;
}

const LINES_MAX = 500;

/** Returns the lineage as an indented list, depth first. A value that is reached twice is expanded only once. */
export function lineageLines(lineage: LineageView): readonly LineageLine[] {
  const isUp = lineage.direction === "up";
  const links = new Map<number, { readonly to: number; readonly via: string }[]>();
  for (const { from, to, input, transform } of lineage.links) {
    const [near, far] = isUp ? [to, from] : [from, to];
    const via = transform === null ? input : `${input} (${transform})`;
    const known = links.get(near);
    if (known === undefined) links.set(near, [{ to: far, via }]);
    else known.push({ to: far, via });
  }
  const points = new Map(lineage.points.map((point) => [point.id, point]));
  const lines: LineageLine[] = [];
  const unfolded = new Set<number>();
  const stack: { readonly id: number; readonly depth: number; readonly via: string | null }[] = [
    { id: lineage.start, depth: 0, via: null },
  ];
  while (stack.length > 0 && lines.length < LINES_MAX) {
    const next = stack.pop();
    const point = next === undefined ? undefined : points.get(next.id);
    if (next === undefined || point === undefined) continue;
    const further = links.get(point.id) ?? [];
    const isRepeated = unfolded.has(point.id) && further.length > 0;
    lines.push({
      key: `${lines.length}`,
      depth: next.depth,
      runId: point.runId,
      workflow: point.workflow,
      nodeId: point.nodeId,
      path: point.path,
      via: next.via,
      madeBy: point.attempt === null ? null : (lineage.attempts[point.attempt] ?? null),
      end: point.end,
      isRepeated,
    });
    if (unfolded.has(point.id)) continue;
    unfolded.add(point.id);
    for (const { to, via } of further.toReversed()) stack.push({ id: to, depth: next.depth + 1, via });
  }
  return lines;
}
