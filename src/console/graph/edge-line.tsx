import { type JSX, useMemo } from "react";
import type { Point } from "../../core/graph/layout/index.ts";
import { edgePath } from "./edge-path.ts";
import { useGraph, useIs, useNodesValue } from "./graph-context.ts";
import type { GraphSource } from "./graph-node.ts";

export interface EdgeLineProps {
  readonly source: string;
  readonly target: string;
  readonly points: readonly Point[];
  readonly direction: "right" | "down";
}

/** Solid where a value went along it, dashed where it only orders two nodes; it moves while its target works. */
export function EdgeLine({ source, target, points, direction }: EdgeLineProps): JSX.Element {
  const graph = useGraph();
  const ends = useMemo(() => [source, target], [source, target]);
  const look = useNodesValue(ends, (nodes) => lookOf(nodes, source, target));
  const isOut = useIs(graph.selected, source);
  const isIn = useIs(graph.selected, target);
  const path = useMemo(() => edgePath(points, direction), [points, direction]);
  const moving = graph.isMoving && look.includes("is-working") ? "is-moving" : "";
  const handoffs = look.includes("has-values") ? graph.source.handoffs(source, target) : [];
  return (
    <path className={`graph-edge ${look} ${moving} ${isOut || isIn ? "is-near" : ""}`} d={path}>
      {handoffs.length > 0 && <title>{`${source} → ${target}\n${handoffs.join("\n")}`}</title>}
    </path>
  );
}

/** The classes of an edge, and how many values went along it, so that another one is another look. */
function lookOf({ node, handoffs }: GraphSource, source: string, target: string): string {
  const to = node(target)?.status;
  const count = handoffs(source, target).length;
  return [
    node(source)?.status === "completed" ? "is-done" : "",
    to === "running" || to === "streaming" ? "is-working" : "",
    count > 0 ? `has-values has-values-${count}` : "",
  ].join(" ");
}
