import { formatNameOf, nodesByLayer } from "./describe.ts";
import { listIds, marksOf, printable } from "./marks.ts";
import { NODE_KINDS, type Plan, type PlanNode } from "./plan.ts";

const ID_WIDTH_MAX = 32;
const KIND_WIDTH = Math.max(...NODE_KINDS.map((kind) => kind.length));

/** Prints the plan for people: one section per layer with one line per node, then the plans of its blocks. */
export function printPlanText(plan: Plan): string {
  const layers = nodesByLayer(plan);
  const counts = [countOf(plan.nodes.length, "node"), countOf(plan.edgeCount, "edge"), countOf(layers.length, "layer")];
  const lines = [`${plan.name} (${formatNameOf(plan)}): ${counts.join(", ")}`, ...linesOf(plan, "layer")];
  for (const [path, block] of plan.blocks) lines.push(...linesOf(block, `${path}, layer`));
  return `${lines.join("\n")}\n`;
}

function linesOf(plan: Plan, title: string): readonly string[] {
  const widths = plan.nodes.map(({ id }) => id.length);
  const idWidth = Math.min(
    ID_WIDTH_MAX,
    widths.reduce((width, length) => Math.max(width, length), 0),
  );
  return nodesByLayer(plan).flatMap((layer, wave) => [
    "",
    `${title} ${wave}`,
    ...layer.map((node) => lineOf(plan, node, idWidth)),
  ]);
}

function lineOf(plan: Plan, node: PlanNode, idWidth: number): string {
  const remarks = [
    ...(node.label === node.id ? [] : [printable(node.label)]),
    ...marksOf(plan, node),
    ...(node.parents.length === 0 ? [] : [`after ${listIds(plan, node.parents)}`]),
  ];
  return `  ${node.id.padEnd(idWidth)}  ${node.kind.padEnd(KIND_WIDTH)}  ${remarks.join(" · ")}`.trimEnd();
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
