import { compareCodeUnits } from "../../base/index.ts";
import { layerGraph } from "../index.ts";
import type { LayoutEdge } from "./layout.ts";

/** More vertices than this are hard to read and slow to draw. */
export const VISIBLE_MAX = 300;

export interface GroupableNode {
  readonly id: string;
  readonly wave: number;
  readonly phase: string | null;
  readonly parents: readonly string[];
  /** Instances of a `for_each` node that has expanded, in order. */
  readonly instances: readonly string[];
}

/** One drawn shape: a node, an instance, or a group of nodes. */
export type Vertex =
  /** `instances` are hidden behind their node until it is opened. */
  | { readonly kind: "node"; readonly id: string; readonly instances: readonly string[] }
  | { readonly kind: "instance"; readonly id: string; readonly parent: string }
  | { readonly kind: "group"; readonly id: string; readonly label: string; readonly members: readonly string[] };

export interface Grouped {
  readonly vertices: readonly Vertex[];
  readonly edges: readonly LayoutEdge[];
  /** The vertex that shows a node or an instance. */
  readonly vertexOf: ReadonlyMap<string, string>;
  /** Null when every node is shown separately. */
  readonly by: "phase" | "wave" | null;
  /** Groups that are open, so their nodes are shown. */
  readonly opened: readonly Extract<Vertex, { readonly kind: "group" }>[];
}

export interface GroupOptions {
  readonly limit?: number;
  /** Ids of the groups and `for_each` nodes that are open. */
  readonly open: ReadonlySet<string>;
}

/**
 * Returns the vertices and edges to draw. Instances are hidden behind their node unless it is open. With more nodes than the
 * limit, nodes are grouped by phase when every node has one and the phases form no cycle; otherwise by wave, with several waves
 * in one group when there are many. The result has no cycle when the graph has none.
 */
export function groupGraph(nodes: readonly GroupableNode[], { limit = VISIBLE_MAX, open }: GroupOptions): Grouped {
  if (nodes.length <= limit) return draw(nodes, () => null, open, null);
  const byPhase = phaseGroups(nodes, limit);
  return byPhase === null ? draw(nodes, waveGroups(nodes, limit), open, "wave") : draw(nodes, byPhase, open, "phase");
}

interface Group {
  readonly id: string;
  readonly label: string;
}

type GroupOf = (node: GroupableNode) => Group | null;

function phaseGroups(nodes: readonly GroupableNode[], limit: number): GroupOf | null {
  const groups = new Map<string, Group>();
  const indices = new Map<string, number>();
  for (const { phase } of nodes) {
    if (phase === null) return null;
    if (groups.has(phase)) continue;
    indices.set(phase, groups.size);
    groups.set(phase, { id: `phase:${phase}`, label: phase });
  }
  if (groups.size > limit) return null;
  const phaseById = new Map(nodes.map(({ id, phase }) => [id, phase ?? ""]));
  const parents = [...groups.keys()].map(() => new Set<number>());
  for (const { phase, parents: ids } of nodes) {
    for (const id of ids) {
      const other = phaseById.get(id) ?? phase ?? "";
      if (other !== phase) parents[indices.get(phase ?? "") ?? 0]?.add(indices.get(other) ?? 0);
    }
  }
  if (!layerGraph(parents.map((set) => [...set])).ok) return null;
  return ({ phase }) => groups.get(phase ?? "") ?? null;
}

function waveGroups(nodes: readonly GroupableNode[], limit: number): GroupOf {
  const last = nodes.reduce((most, { wave }) => Math.max(most, wave), 0);
  const band = Math.ceil((last + 1) / limit);
  return ({ wave }) => {
    const from = Math.floor(wave / band) * band;
    const to = Math.min(from + band - 1, last);
    return { id: `waves:${from}-${to}`, label: from === to ? `Layer ${from + 1}` : `Layers ${from + 1}–${to + 1}` };
  };
}

function draw(
  nodes: readonly GroupableNode[],
  groupOf: GroupOf,
  open: ReadonlySet<string>,
  by: Grouped["by"],
): Grouped {
  const members = new Map<string, { readonly group: Group; readonly ids: string[] }>();
  for (const node of nodes) {
    const group = groupOf(node);
    if (group === null) continue;
    const known = members.get(group.id);
    if (known === undefined) members.set(group.id, { group, ids: [node.id] });
    else known.ids.push(node.id);
  }
  const vertices: Vertex[] = [];
  const vertexOf = new Map<string, string>();
  const opened: Grouped["opened"][number][] = [];
  for (const { group, ids } of members.values()) {
    if (ids.length < 2) continue;
    const vertex = { kind: "group", id: group.id, label: group.label, members: ids } as const;
    if (open.has(group.id)) {
      opened.push(vertex);
      continue;
    }
    vertices.push(vertex);
    for (const id of ids) vertexOf.set(id, group.id);
  }
  for (const { id, instances } of nodes) {
    const groupId = vertexOf.get(id);
    for (const instance of instances)
      vertexOf.set(instance, open.has(id) && groupId === undefined ? instance : (groupId ?? id));
    if (groupId !== undefined) continue;
    vertexOf.set(id, id);
    vertices.push({ kind: "node", id, instances });
    if (!open.has(id)) continue;
    for (const instance of instances) vertices.push({ kind: "instance", id: instance, parent: id });
  }
  return { vertices, edges: edgesBetween(nodes, vertexOf, open), vertexOf, by, opened };
}

/** Returns the edges. An open `for_each` node has edges to its instances, and these to the nodes that depend on it. */
function edgesBetween(
  nodes: readonly GroupableNode[],
  vertexOf: ReadonlyMap<string, string>,
  open: ReadonlySet<string>,
): readonly LayoutEdge[] {
  const instancesOf = new Map(nodes.map(({ id, instances }) => [id, instances]));
  const isOpen = (id: string): boolean => open.has(id) && vertexOf.get(id) === id;
  const edges = new Map<string, LayoutEdge>();
  const add = (source: string | undefined, target: string | undefined): void => {
    if (source === undefined || target === undefined || source === target) return;
    edges.set(`${source}\n${target}`, { source, target });
  };
  for (const { id, parents, instances } of nodes) {
    if (isOpen(id)) for (const instance of instances) add(id, instance);
    for (const parent of parents) {
      const between = isOpen(parent) ? (instancesOf.get(parent) ?? []) : [];
      if (between.length === 0) add(vertexOf.get(parent), vertexOf.get(id));
      for (const instance of between) add(instance, vertexOf.get(id));
    }
  }
  return [...edges.values()].sort(
    (left, right) => compareCodeUnits(left.source, right.source) || compareCodeUnits(left.target, right.target),
  );
}
