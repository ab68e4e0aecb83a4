import { FINALLY } from "../definition/index.ts";
import { insideOf } from "./describe.ts";
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

/**
 * Prints the plan for Mermaid. A dashed arrow is an edge with a condition, or one that does not require success. Steps
 * inside a node, and those of `finally`, are in a frame.
 */
export function printPlanMermaid(plan: Plan): string {
  const drawing = { root: plan, names: new Set(plan.indexById.keys()) };
  const lines = ["flowchart TD", ...linesOf(plan, drawing, "", "  ")];
  const last = plan.finally === null ? undefined : plan.blocks.get(plan.finally.block);
  if (last !== undefined) lines.push(...frame(newName(drawing, FINALLY), FINALLY, last, drawing, "  "));
  return `${lines.join("\n")}\n`;
}

interface Drawing {
  readonly root: Plan;
  /** All ids of the document's nodes, and the names given to others. */
  readonly names: Set<string>;
}

function linesOf(plan: Plan, drawing: Drawing, prefix: string, indent: string): readonly string[] {
  const names = plan.nodes.map((node) => nameOf(drawing, node, prefix));
  const lines = plan.nodes.flatMap((node, index) => linesOfNode(plan, node, names[index] ?? "", drawing, indent));
  for (const [index, node] of plan.nodes.entries()) {
    const conditional = node.body.kind === "lens" ? conditionalSources(node.body) : node.outcomes;
    for (const parent of node.parents) {
      lines.push(`${indent}${names[parent]} ${conditional.has(parent) ? "-.->" : "-->"} ${names[index]}`);
    }
  }
  return lines;
}

function linesOfNode(plan: Plan, node: PlanNode, name: string, drawing: Drawing, indent: string): readonly string[] {
  const [open, close] = SHAPES[node.kind];
  const label = labelOf(plan, node);
  const [block, ...others] = insideOf(drawing.root, node);
  if (block === undefined) return [`${indent}${name}${open}"${label}"${close}`];
  if (block.branch === null) return frame(name, label, block.plan, drawing, indent);
  const branches = [block, ...others].flatMap(({ branch, plan: inside }, index) =>
    frame(newName(drawing, `${name}__${index}`), escapeLabel(branch ?? ""), inside, drawing, `${indent}  `),
  );
  return [`${indent}subgraph ${name}["${label}"]`, ...branches, `${indent}end`];
}

function frame(name: string, label: string, inside: Plan, drawing: Drawing, indent: string): readonly string[] {
  const lines = linesOf(inside, drawing, `${name}__`, `${indent}  `);
  return [`${indent}subgraph ${name}["${label}"]`, ...lines, `${indent}end`];
}

/** Returns the id itself if Mermaid accepts it, else a generated name. No two nodes of the drawing have one name. */
function nameOf(drawing: Drawing, node: PlanNode, prefix: string): string {
  const isAccepted = /^[A-Za-z][A-Za-z0-9_]*$/.test(node.id) && !RESERVED.has(node.id.toLowerCase());
  if (isAccepted && prefix === "") return node.id;
  return newName(drawing, `${prefix}${isAccepted ? node.id : `n${node.index}`}`);
}

function newName({ names }: Drawing, wanted: string): string {
  let name = wanted;
  while (names.has(name)) name += "_";
  names.add(name);
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
