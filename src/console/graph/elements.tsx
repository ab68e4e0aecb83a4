import { type Edge, type EdgeProps, Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { type JSX, memo } from "react";
import type { Grouped, Layout, Point, Vertex } from "../../core/graph/layout/index.ts";
import { EdgeLine } from "./edge-line.tsx";
import type { GraphNode } from "./graph-node.ts";
import { GroupCard } from "./group-card.tsx";
import { NodeCard } from "./node-card.tsx";

type Direction = "right" | "down";
type CardData = { readonly vertex: Vertex; readonly node: GraphNode | undefined; readonly direction: Direction };
export type NodeElement = Node<CardData, "card">;
export type EdgeElement = Edge<{ readonly points: readonly Point[]; readonly direction: Direction }, "line">;

const NO_INSTANCES: readonly string[] = [];

/** A card with handles. React Flow looks for the handles whenever it measures a card. */
function CardNode({ id, data: { vertex, node, direction } }: NodeProps<NodeElement>): JSX.Element {
  const isRight = direction === "right";
  return (
    <>
      {vertex.kind === "group" ? (
        <GroupCard id={id} label={vertex.label} members={vertex.members} />
      ) : (
        <NodeCard id={id} node={node} instances={vertex.kind === "node" ? vertex.instances : NO_INSTANCES} />
      )}
      <Handle type="target" position={isRight ? Position.Left : Position.Top} isConnectable={false} />
      <Handle type="source" position={isRight ? Position.Right : Position.Bottom} isConnectable={false} />
    </>
  );
}

function LineEdge({ source, target, data }: EdgeProps<EdgeElement>): JSX.Element | null {
  if (data === undefined) return null;
  return <EdgeLine source={source} target={target} points={data.points} direction={data.direction} />;
}

export const NODE_TYPES = { card: memo(CardNode) };
export const EDGE_TYPES = { line: memo(LineEdge) };

export interface Elements {
  readonly cards: NodeElement[];
  readonly lines: EdgeElement[];
}

/** Returns the elements for the canvas. Sizes and handles are included, so that nothing must be measured before drawing. */
export function elementsOf(
  nodes: readonly GraphNode[],
  { vertices }: Grouped,
  layout: Layout,
  direction: Direction,
): Elements {
  // An instance is of the kind of its node.
  const nodeById = new Map(nodes.flatMap((node) => [node.id, ...node.instances].map((id) => [id, node] as const)));
  const vertexById = new Map(vertices.map((vertex) => [vertex.id, vertex]));
  const isRight = direction === "right";
  const cards = layout.nodes.flatMap(({ id, x, y, width, height }): NodeElement[] => {
    const vertex = vertexById.get(id);
    if (vertex === undefined) return [];
    const into = isRight
      ? { position: Position.Left, x: 0, y: height / 2 }
      : { position: Position.Top, x: width / 2, y: 0 };
    const out = isRight
      ? { position: Position.Right, x: width, y: height / 2 }
      : { position: Position.Bottom, x: width / 2, y: height };
    return [
      {
        id,
        type: "card",
        position: { x, y },
        width,
        height,
        measured: { width, height },
        handles: [
          { type: "target", ...into, width: 1, height: 1 },
          { type: "source", ...out, width: 1, height: 1 },
        ],
        data: { vertex, node: nodeById.get(id), direction },
      },
    ];
  });
  const lines = layout.edges.map(({ source, target, points }): EdgeElement => ({
    id: `${source}>${target}`,
    type: "line",
    source,
    target,
    data: { points, direction },
  }));
  return { cards, lines };
}
