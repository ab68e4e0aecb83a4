import { compareCodeUnits, required, type JsonObject } from "../base/index.ts";
import type { Plan, PlanNode } from "./plan.ts";

/** Returns ids by wave, in code-unit order within a wave. */
export function layersOf(plan: Plan): readonly (readonly string[])[] {
  return nodesByLayer(plan).map((layer) => layer.map((node) => node.id));
}

export function nodesByLayer(plan: Plan): readonly (readonly PlanNode[])[] {
  const layers: PlanNode[][] = [];
  for (const node of plan.nodes) {
    const layer = layers[node.wave];
    if (layer === undefined) layers.push([node]);
    else layer.push(node);
  }
  return layers;
}

export function nodeAt(plan: Plan, index: number): PlanNode {
  return required(plan.nodes[index], "an edge of the plan ends at a node of the plan");
}

/** The steps inside a node: those of its block, or of one branch, which has a name. */
export interface Inside {
  readonly branch: string | null;
  readonly path: string;
  readonly plan: Plan;
}

/** Returns the steps inside a node of the plan or of one of its blocks. `root` is the plan of the document. */
export function insideOf(root: Plan, { child, choose }: PlanNode): readonly Inside[] {
  const inside = (path: string, branch: string | null): Inside => {
    return { branch, path, plan: required(root.blocks.get(path), "a block of the document is compiled") };
  };
  if (child !== null && "block" in child) return [inside(child.block, null)];
  return (choose ?? []).map(({ name, block }) => inside(block, name));
}

/** Returns the format as the file's `format` key spells it. A file without the key is `lobsterx`. */
export function formatNameOf(plan: Plan): string {
  return plan.format === "lens-graph" ? "lens-graph/v1" : plan.format;
}

/** Returns the graph as plain data, for programs. */
export function describePlan(plan: Plan): JsonObject {
  return describe(plan, () => ({}));
}

/** Returns the graph as plain data, with the additional fields that a drawing needs. */
export function describePlanToDraw(plan: Plan): JsonObject {
  return describe(plan, ({ label, phase }) => ({ label, phase }));
}

/** Present only for nodes that do not wait for all parents to succeed. */
function outcomesOf(plan: Plan, { outcomes, join }: PlanNode): JsonObject {
  const named = [...outcomes].map(([parent, outcome]) => [nodeAt(plan, parent).id, outcome] as const);
  return {
    ...(named.length === 0 ? {} : { outcomes: Object.fromEntries(named) }),
    ...(join === null ? {} : { join: { count: join.count, isRace: join.isRace } }),
  };
}

function describe(plan: Plan, moreOf: (node: PlanNode) => JsonObject): JsonObject {
  const idsOf = (indices: readonly number[]): readonly string[] =>
    indices.map((index) => nodeAt(plan, index).id).sort(compareCodeUnits);
  const blocks = [...plan.blocks].map(([path, block]) => [path, describe(block, moreOf)] as const);
  return {
    name: plan.name,
    format: formatNameOf(plan),
    nodes: plan.nodes.map((node) => ({
      id: node.id,
      kind: node.kind,
      dependsOn: idsOf(node.parents),
      dependents: idsOf(node.dependents),
      wave: node.wave,
      ...outcomesOf(plan, node),
      ...moreOf(node),
    })),
    layers: layersOf(plan),
    ...(plan.blocks.size === 0 ? {} : { blocks: Object.fromEntries(blocks) }),
  };
}
