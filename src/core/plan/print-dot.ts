import { nodeAt } from "./describe.ts";
import { conditionalSources, marksOf, printable } from "./marks.ts";
import type { NodeKind, Plan, PlanNode } from "./plan.ts";

const SHAPES: Readonly<Record<NodeKind, string>> = {
  agent: "box",
  gate: "hexagon",
  child: "box3d",
  lens: "ellipse",
  utility: "note",
  set: "cds",
  script: "component",
  function: "component",
  end: "octagon",
  wait: "doublecircle",
  emit: "rarrow",
  block: "tab",
  choose: "diamond",
};

/** Prints the plan for Graphviz. A dashed arrow is an edge with a condition, or one that does not require success. */
export function printPlanDot(plan: Plan): string {
  const lines = [`digraph ${quote(plan.name)} {`, "  rankdir=TB;"];
  for (const node of plan.nodes) {
    lines.push(`  ${quote(node.id)} [label=${labelOf(plan, node)}, shape=${SHAPES[node.kind]}];`);
  }
  for (const node of plan.nodes) {
    const conditional = node.body.kind === "lens" ? conditionalSources(node.body) : node.outcomes;
    for (const parent of node.parents) {
      const style = conditional.has(parent) ? " [style=dashed]" : "";
      lines.push(`  ${quote(nodeAt(plan, parent).id)} -> ${quote(node.id)}${style};`);
    }
  }
  lines.push("}");
  return `${lines.join("\n")}\n`;
}

function labelOf(plan: Plan, node: PlanNode): string {
  const lines = [node.id, ...(node.label === node.id ? [] : [printable(node.label)]), ...marksOf(plan, node)];
  return `"${lines.map(escape).join("\\n")}"`;
}

function quote(text: string): string {
  return `"${escape(text)}"`;
}

/** Escapes backslash sequences and HTML entities, which Graphviz interprets inside a quoted label. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("\\", "\\\\").replaceAll('"', '\\"');
}
