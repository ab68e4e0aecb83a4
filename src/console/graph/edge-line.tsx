import { type JSX, useSyncExternalStore } from "react";
import type { Point } from "../../core/layout/index.ts";
import { edgePath } from "./edge-path.ts";
import { useGraph, useNode } from "./graph-context.ts";

export interface EdgeLineProps {
  readonly source: string;
  readonly target: string;
  readonly points: readonly Point[];
  readonly direction: "right" | "down";
}

/** Solid where a value went along it, dashed where it only says who comes first; it moves while its target works. */
export function EdgeLine({ source, target, points, direction }: EdgeLineProps): JSX.Element {
  const graph = useGraph();
  const from = useNode(source);
  const to = useNode(target);
  const handoffs = useSyncExternalStore(graph.source.onNodes, () => graph.source.handoffs(source, target));
  const isDone = from?.status === "completed";
  const isWorking = to?.status === "running" || to?.status === "streaming";
  const look = [
    "graph-edge",
    isDone ? "is-done" : "",
    isWorking ? "is-working" : "",
    isWorking && graph.isMoving ? "is-moving" : "",
    handoffs.length > 0 ? "has-values" : "",
  ];
  return (
    <path className={look.join(" ")} d={edgePath(points, direction)}>
      {handoffs.length > 0 && <title>{`${source} → ${target}\n${handoffs.join("\n")}`}</title>}
    </path>
  );
}
