import { type JSX, useMemo } from "react";
import type { Point } from "../../core/graph/layout/index.ts";
import { edgePath } from "./edge-path.ts";
import { useGraph, useIs, useNodesValue } from "./graph-context.ts";
import { type GraphEditing, useEditing } from "./graph-editing.ts";
import type { GraphSource } from "./graph-node.ts";
import { insideKey } from "./inside.ts";

export interface EdgeLineProps {
  readonly source: string;
  readonly target: string;
  readonly points: readonly Point[];
  readonly direction: "right" | "down";
}

/** An edge: solid when a value was passed along it, dashed when it only defines order, and moving while its target works. */
export function EdgeLine({ source, target, points, direction }: EdgeLineProps): JSX.Element {
  const graph = useGraph();
  const editing = useEditing();
  const ends = useMemo(() => [source, target], [source, target]);
  const look = useNodesValue(ends, (nodes) => lookOf(nodes, source, target));
  const isOut = useIs(graph.selected, source);
  const isIn = useIs(graph.selected, target);
  const path = useMemo(() => edgePath(points, direction), [points, direction]);
  const moving = graph.isMoving && look.includes("is-working") ? "is-moving" : "";
  const handoffs = look.includes("has-values") ? graph.source.handoffs(source, target) : [];
  const line = (
    <path className={`graph-edge ${look} ${moving} ${isOut || isIn ? "is-near" : ""}`} d={path}>
      {handoffs.length > 0 && <title>{`${source} → ${target}\n${handoffs.join("\n")}`}</title>}
    </path>
  );
  if (editing === null) return line;
  const keyOf = (id: string): string => (graph.at === null ? id : insideKey(graph.at, id));
  return <EditedEdge {...{ path, points, line }} from={keyOf(source)} to={keyOf(target)} onInsert={editing.onInsert} />;
}

interface EditedEdgeProps {
  readonly path: string;
  readonly points: readonly Point[];
  readonly line: JSX.Element;
  readonly from: string;
  readonly to: string;
  readonly onInsert: GraphEditing["onInsert"];
}

/** An edge into which a step can be inserted. */
function EditedEdge({ path, points, line, from, to, onInsert }: EditedEdgeProps): JSX.Element {
  const { x, y } = middleOf(points);
  return (
    <g className="graph-edge-edited" data-edge={JSON.stringify([from, to])}>
      {line}
      <path className="graph-edge-hit" d={path} />
      <g
        className="graph-edge-add nopan"
        transform={`translate(${x} ${y})`}
        onClick={(event) => {
          event.stopPropagation();
          onInsert(from, to, event.currentTarget.getBoundingClientRect());
        }}
      >
        <title>{`Insert a step between ${from} and ${to}`}</title>
        <circle r={9} />
        <path d="M-4 0h8M0 -4v8" />
      </g>
    </g>
  );
}

function middleOf(points: readonly Point[]): Point {
  const [left, right] = [points[Math.floor((points.length - 1) / 2)], points[Math.ceil((points.length - 1) / 2)]];
  if (left === undefined || right === undefined) return { x: 0, y: 0 };
  return { x: (left.x + right.x) / 2, y: (left.y + right.y) / 2 };
}

/** Returns the classes of an edge and the count of passed values, so that a changed count changes the text. */
function lookOf({ node, handoffs }: GraphSource, source: string, target: string): string {
  const to = node(target)?.status;
  const count = handoffs(source, target).length;
  return [
    node(source)?.status === "completed" ? "is-done" : "",
    to === "running" || to === "streaming" ? "is-working" : "",
    count > 0 ? `has-values has-values-${count}` : "",
  ].join(" ");
}
