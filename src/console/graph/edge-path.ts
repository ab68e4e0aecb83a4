import type { Point } from "../../core/graph/layout/index.ts";

/** Returns an SVG path through the points: straight where it passes a layer, curved between layers. */
export function edgePath(points: readonly Point[], direction: "right" | "down"): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let path = `M${first.x} ${first.y}`;
  let from = first;
  for (const to of rest) {
    path += piece(from, to, direction);
    from = to;
  }
  return path;
}

function piece(from: Point, to: Point, direction: "right" | "down"): string {
  const isStraight = direction === "right" ? from.y === to.y : from.x === to.x;
  if (isStraight) return `L${to.x} ${to.y}`;
  if (direction === "right") {
    const middle = (from.x + to.x) / 2;
    return `C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
  }
  const middle = (from.y + to.y) / 2;
  return `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
}
