import type { LineagePoint, MadeBy, LineageView } from "../client/index.ts";
import { formatCost } from "./figures.ts";
import { oneLine } from "./terminal-text.ts";

/** Maximum depth. A deeper line would contain nothing but indentation. */
const LEVELS_MAX = 100;

interface Branch {
  readonly id: number;
  readonly level: number;
  readonly indent: string;
  readonly isLast: boolean;
  readonly via: string;
}

/** Yields the lines of a lineage as a tree. Below each value are the values it came from, or the values it went into. */
export function* lineageLines(lineage: LineageView): Generator<string> {
  const below = linksByPoint(lineage);
  const shown = new Set<number>();
  const stack: Branch[] = [{ id: lineage.start, level: 0, indent: "", isLast: true, via: "" }];
  for (let branch = stack.pop(); branch !== undefined; branch = stack.pop()) {
    const point = lineage.points[branch.id];
    if (point === undefined) continue;
    const links = below.get(branch.id) ?? [];
    const isRepeated = shown.has(branch.id) && links.length > 0;
    const isTooDeep = branch.level >= LEVELS_MAX && links.length > 0;
    shown.add(branch.id);
    const note = isRepeated ? "  (shown above)" : isTooDeep ? "  … (--json has the rest)" : endOf(point);
    yield `${headOf(branch)}${branch.via}${placeOf(point)}${makerOf(lineage, point)}${note}`;
    if (isRepeated || isTooDeep) continue;
    const indent = branch.level === 0 ? "" : `${branch.indent}${branch.isLast ? "   " : "│  "}`;
    for (const [index, { id, via }] of [...links.entries()].reverse()) {
      stack.push({ id, level: branch.level + 1, indent, isLast: index === links.length - 1, via });
    }
  }
}

function headOf({ level, indent, isLast }: Branch): string {
  return level === 0 ? "" : `${indent}${isLast ? "└─ " : "├─ "}`;
}

function linksByPoint({ links, direction }: LineageView): Map<number, { id: number; via: string }[]> {
  const below = new Map<number, { id: number; via: string }[]>();
  for (const { from, to, input, transform } of links) {
    const [near, far] = direction === "up" ? [to, from] : [from, to];
    const how = transform === null ? "" : ` (${oneLine(transform)})`;
    const list = below.get(near) ?? [];
    list.push({ id: far, via: `${oneLine(input)}${how} ${direction === "up" ? "←" : "→"} ` });
    below.set(near, list);
  }
  return below;
}

function placeOf({ runId, workflow, nodeId, path }: LineagePoint): string {
  const value = nodeId === null ? path : `${nodeId}.${path}`;
  return `${oneLine(value)}  ${oneLine(workflow === "" ? runId : `${workflow} ${runId}`)}`;
}

function makerOf({ attempts }: LineageView, { attempt }: LineagePoint): string {
  const made = attempt === null ? undefined : attempts[attempt];
  return made === undefined ? "" : `  [${factsOf(made).map(oneLine).join(", ")}]`;
}

function factsOf(made: MadeBy): readonly string[] {
  const { attempt, agentId, provider, model, policies, approvals, calls, costMicros, status } = made;
  const tools = [...new Set(calls.map(({ tool, server }) => (server === null ? tool : `${server}/${tool}`)))];
  const approvers = approvals.flatMap(({ by, decision }) =>
    by === null ? [] : [`${decision ?? "answered"} by ${by}`],
  );
  return [
    `attempt ${attempt}`,
    ...(status === "completed" ? [] : [status]),
    ...(agentId === null ? [] : [agentId]),
    ...(model === null ? (provider === null ? [] : [provider]) : [model]),
    ...(tools.length === 0 ? [] : [`from ${tools.join(" and ")}`]),
    ...policies,
    ...approvers,
    ...(costMicros === 0 ? [] : [formatCost(costMicros)]),
  ];
}

const CUTS = { too_large: "cut: the lineage is too large", log_missing: "cut: the log of the run is missing" } as const;

function endOf({ end, cut }: LineagePoint): string {
  if (end === "cut") return `  (${cut === null ? "cut" : CUTS[cut]})`;
  return end === "source" ? "  (no inputs)" : "";
}
