import { compareCodeUnits } from "../base/index.ts";
import type { RunEvent } from "../event/index.ts";
import type { Plan, PlanNode } from "../plan/index.ts";

export const COVERAGE_KINDS = ["branch", "handler", "gate"] as const;
export type CoverageKind = (typeof COVERAGE_KINDS)[number];

/** A behaviour of a workflow that a case can cover. */
export interface CoverageItem {
  readonly kind: CoverageKind;
  /** Id of the node. For a node in a block, preceded by the path of the block: `block/node`. */
  readonly node: string;
  /** The covered behaviour: `taken`, `skipped`, the name of a branch, `handled`, or a person's answer. */
  readonly way: string;
}

/** Returns every branch, handler and gate of a workflow, including those in its blocks. */
export function coverageItems(plan: Plan): readonly CoverageItem[] {
  return [["", plan] as const, ...plan.blocks].flatMap(([block, { nodes }]) =>
    nodes.flatMap((node) => itemsOf(prefixOf(block) + node.id, node)),
  );
}

function itemsOf(id: string, node: PlanNode): readonly CoverageItem[] {
  const branch = (way: string): CoverageItem => ({ kind: "branch", node: id, way });
  const isConditional =
    (node.body.kind === "step" && node.body.condition !== null) || (node.forEach?.condition ?? null) !== null;
  const isHandler = [...node.outcomes.values()].includes("failure");
  return [
    ...(isConditional ? [branch("taken"), branch("skipped")] : []),
    ...(node.choose ?? []).map(({ name }) => branch(name)),
    ...(isHandler ? [{ kind: "handler", node: id, way: "handled" } as const] : []),
    ...(node.kind === "gate" ? ["approve", "reject"].map((way) => ({ kind: "gate", node: id, way }) as const) : []),
  ];
}

/** Returns the keys of the items that the logged runs have covered. */
export function coveredBy(plan: Plan, logs: readonly (readonly RunEvent[])[]): ReadonlySet<string> {
  const covered = new Set<string>();
  for (const log of logs) {
    const [first] = log;
    // Runs of other workflows are covered by their own cases.
    if (
      first?.type !== "run.started" ||
      (first.payload.block === undefined && first.payload.parentRunId !== undefined)
    ) {
      continue;
    }
    const prefix = prefixOf(first.payload.block ?? "");
    const { nodes } = (first.payload.block === undefined ? plan : plan.blocks.get(first.payload.block)) ?? {
      nodes: [],
    };
    const byId = new Map(nodes.map((node) => [node.id, node]));
    for (const event of log) {
      for (const item of shownBy(event, prefix, byId)) covered.add(coverageKey(item));
    }
  }
  return covered;
}

function* shownBy(event: RunEvent, prefix: string, nodes: ReadonlyMap<string, PlanNode>): Generator<CoverageItem> {
  if (!("nodeId" in event.payload)) return;
  const id = event.payload.nodeId.split("[", 1)[0] ?? "";
  const node = prefix + id;
  switch (event.type) {
    case "node.started":
    case "node.completed":
    case "node.blocked":
      yield { kind: "branch", node, way: "taken" };
      yield { kind: "handler", node, way: "handled" };
      return;
    case "node.skipped":
      if (event.payload.reason === "condition_false") yield { kind: "branch", node, way: "skipped" };
      return;
    case "child.started": {
      const chosen = nodes.get(id)?.choose?.find(({ block }) => block === event.payload.block);
      if (chosen !== undefined) yield { kind: "branch", node, way: chosen.name };
      return;
    }
    case "approval.resolved":
      if (event.payload.decision !== undefined) yield { kind: "gate", node, way: event.payload.decision };
      return;
    default:
  }
}

export function coverageKey({ kind, node, way }: CoverageItem): string {
  return JSON.stringify([kind, node, way]);
}

function prefixOf(block: string): string {
  return block === "" ? "" : `${block}/`;
}

export interface CoverageFigure {
  readonly kind: CoverageKind;
  readonly covered: number;
  readonly total: number;
}

/** Returns the share of covered items, and the items that are not covered. */
export function coverageOf(
  items: readonly CoverageItem[],
  covered: ReadonlySet<string>,
): { readonly figures: readonly CoverageFigure[]; readonly missed: readonly CoverageItem[] } {
  const isShown = (item: CoverageItem): boolean => covered.has(coverageKey(item));
  const figures = COVERAGE_KINDS.map((kind) => {
    const own = items.filter((item) => item.kind === kind);
    return { kind, covered: own.filter(isShown).length, total: own.length };
  });
  const missed = items.filter((item) => !isShown(item));
  return { figures, missed: missed.toSorted((left, right) => compareCodeUnits(left.node, right.node)) };
}
