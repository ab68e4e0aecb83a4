import { conditionalSources, marksOf, printable } from "./marks.ts";
import type { NodeKind, Plan, PlanNode } from "./plan.ts";

const SHAPES: Readonly<Record<NodeKind, readonly [open: string, close: string]>> = {
  agent: ["[", "]"],
  gate: ["{{", "}}"],
  child: ["[[", "]]"],
  lens: ["([", "])"],
  utility: ["(", ")"],
  set: ["[/", "/]"],
  script: ["[\\", "\\]"],
  function: ["[\\", "\\]"],
  end: ["(((", ")))"],
  wait: ["((", "))"],
  emit: [">", "]"],
  block: ["[[", "]]"],
  choose: ["{", "}"],
};

/** Words that Mermaid reserves and does not accept as an id. */
const RESERVED = new Set(
  "bt call class classdef click default direction down end flowchart graph href interpolate linkstyle lr rl style subgraph tb td v".split(
    " ",
  ),
);

/** Prints the plan for Mermaid. A dashed arrow is an edge with a condition, or one that does not require success. */
export function printPlanMermaid(plan: Plan): string {
  const names = plan.nodes.map((node) => nameOf(plan, node));
  const lines = ["flowchart TD"];
  for (const [index, node] of plan.nodes.entries()) {
    const [open, close] = SHAPES[node.kind];
    lines.push(`  ${names[index]}${open}"${labelOf(plan, node)}"${close}`);
  }
  for (const [index, node] of plan.nodes.entries()) {
    const conditional = node.body.kind === "lens" ? conditionalSources(node.body) : node.outcomes;
    for (const parent of node.parents) {
      lines.push(`  ${names[parent]} ${conditional.has(parent) ? "-.->" : "-->"} ${names[index]}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Returns the id itself if Mermaid accepts it, else a generated name that no id of the plan has. */
function nameOf(plan: Plan, node: PlanNode): string {
  if (/^[A-Za-z][A-Za-z0-9_]*$/.test(node.id) && !RESERVED.has(node.id.toLowerCase())) return node.id;
  let name = `n${node.index}`;
  while (plan.indexById.has(name)) name += "_";
  return name;
}

function labelOf(plan: Plan, node: PlanNode): string {
  const lines = [node.id, ...(node.label === node.id ? [] : [printable(node.label)]), ...marksOf(plan, node)];
  return lines.map(escapeLabel).join("<br/>");
}

/** Replaces all characters with a meaning inside a quoted label by entities: markup, quotes, backticks and `#`. */
function escapeLabel(text: string): string {
  return text.replace(/[^\p{L}\p{N} _.,:;=!?()+*/@$-]/gu, (point) => `#${point.codePointAt(0) ?? 0xfffd};`);
}
