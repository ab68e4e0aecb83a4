import type { Layout, Placed } from "../../core/layout/index.ts";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

export function isArrow(key: string): key is Arrow {
  return key === "ArrowLeft" || key === "ArrowRight" || key === "ArrowUp" || key === "ArrowDown";
}

/**
 * Where an arrow key leads from a vertex: along the layers to the nearest of those it is connected with, across them
 * to the next one of its layer. Null: nowhere. From nowhere every arrow leads to the first.
 */
export function walk(layout: Layout, from: string | null, arrow: Arrow, direction: "right" | "down"): string | null {
  const current = layout.nodes.find(({ id }) => id === from);
  if (current === undefined) return layout.nodes[0]?.id ?? null;
  const [back, forth, before, after] =
    direction === "right"
      ? (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] as const)
      : (["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] as const);
  switch (arrow) {
    case forth:
      return nearest(layout, current, (edge) => (edge.source === current.id ? edge.target : null), direction);
    case back:
      return nearest(layout, current, (edge) => (edge.target === current.id ? edge.source : null), direction);
    case before:
      return sibling(layout, current, -1);
    case after:
      return sibling(layout, current, 1);
    default:
      return null;
  }
}

function nearest(
  { nodes, edges }: Layout,
  current: Placed,
  other: (edge: Layout["edges"][number]) => string | null,
  direction: "right" | "down",
): string | null {
  const ids = new Set(edges.map(other));
  const middle = (node: Placed): number => (direction === "right" ? node.y + node.height / 2 : node.x + node.width / 2);
  let best: Placed | null = null;
  for (const node of nodes) {
    if (!ids.has(node.id)) continue;
    const isNearer =
      best === null || Math.abs(middle(node) - middle(current)) < Math.abs(middle(best) - middle(current));
    if (isNearer) best = node;
  }
  return best?.id ?? null;
}

function sibling({ nodes }: Layout, current: Placed, step: number): string | null {
  const layer = nodes.filter(({ layer: each }) => each === current.layer);
  return layer[layer.indexOf(current) + step]?.id ?? null;
}
