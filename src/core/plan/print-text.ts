import { formatNameOf, nodesByLayer } from "./describe.ts";
import { listIds, marksOf, printable } from "./marks.ts";
import { NODE_KINDS, type Plan, type PlanNode } from "./plan.ts";

const ID_WIDTH_MAX = 32;
const KIND_WIDTH = Math.max(...NODE_KINDS.map((kind) => kind.length));

/** The plan for people: one block per layer, one line per node. */
export function printPlanText(plan: Plan): string {
  const layers = nodesByLayer(plan);
  const idWidth = Math.min(
    ID_WIDTH_MAX,
    plan.nodes.reduce((width, node) => Math.max(width, node.id.length), 0),
  );
  const counts = [countOf(plan.nodes.length, "node"), countOf(plan.edgeCount, "edge"), countOf(layers.length, "layer")];
  const lines = [`${plan.name} (${formatNameOf(plan)}): ${counts.join(", ")}`];
  for (const [wave, layer] of layers.entries()) {
    lines.push("", `layer ${wave}`);
    for (const node of layer) lines.push(lineOf(plan, node, idWidth));
  }
  return `${lines.join("\n")}\n`;
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
