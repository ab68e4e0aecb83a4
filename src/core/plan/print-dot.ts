import { FINALLY } from "../definition/index.ts";
import { insideOf, nodeAt } from "./describe.ts";
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

/**
 * Prints the plan for Graphviz. A dashed arrow is an edge with a condition, or one that does not require success. Steps
 * inside a node are in a frame with it, and those of `finally` in a frame of their own.
 */
export function printPlanDot(plan: Plan): string {
  const last = plan.finally === null ? undefined : plan.blocks.get(plan.finally.block);
  const lines = [
    `digraph ${quote(plan.name)} {`,
    "  rankdir=TB;",
    ...linesOf(plan, plan, "", "  "),
    ...(last === undefined ? [] : frame(FINALLY, FINALLY, linesOf(plan, last, `${FINALLY}/`, "    "), "  ")),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

function linesOf(root: Plan, plan: Plan, prefix: string, indent: string): readonly string[] {
  const nameOf = ({ id }: PlanNode): string => quote(`${prefix}${id}`);
  const lines = plan.nodes.flatMap((node) => {
    const line = `${nameOf(node)} [label=${labelOf(plan, node)}, shape=${SHAPES[node.kind]}];`;
    const inner = insideOf(root, node).flatMap(({ branch, path, plan: inside }) =>
      branch === null
        ? linesOf(root, inside, `${path}/`, `${indent}  `)
        : frame(path, branch, linesOf(root, inside, `${path}/`, `${indent}    `), `${indent}  `),
    );
    if (inner.length === 0) return [`${indent}${line}`];
    return frame(`${prefix}${node.id}`, "", [`${indent}  ${line}`, ...inner], indent);
  });
  for (const node of plan.nodes) {
    const conditional = node.body.kind === "lens" ? conditionalSources(node.body) : node.outcomes;
    for (const parent of node.parents) {
      const style = conditional.has(parent) ? " [style=dashed]" : "";
      lines.push(`${indent}${nameOf(nodeAt(plan, parent))} -> ${nameOf(node)}${style};`);
    }
  }
  return lines;
}

/** Graphviz draws a frame around a graph whose name begins with `cluster`. */
function frame(name: string, label: string, lines: readonly string[], indent: string): readonly string[] {
  return [
    `${indent}subgraph ${quote(`cluster ${name}`)} {`,
    `${indent}  label=${quote(printable(label))};`,
    ...lines,
    `${indent}}`,
  ];
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
