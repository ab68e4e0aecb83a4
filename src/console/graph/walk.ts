import type { Layout, Placed } from "../../core/graph/layout/index.ts";

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

export function isArrow(key: string): key is Arrow {
  return key === "ArrowLeft" || key === "ArrowRight" || key === "ArrowUp" || key === "ArrowDown";
}

type Direction = "right" | "down";

/**
 * Returns the vertex an arrow key leads to. Along the layers it is the nearest connected vertex, across them the next
 * vertex of the same layer. In a layer with several ranks, the cursor moves from rank to rank and leaves the layer at
 * its sides. Null when there is no vertex in that direction. Without a current vertex, every arrow leads to the first.
 */
export function walk(layout: Layout, from: string | null, arrow: Arrow, direction: Direction): string | null {
  const current = layout.nodes.find(({ id }) => id === from);
  if (current === undefined) return layout.nodes[0]?.id ?? null;
  const [back, forth, before, after] =
    direction === "right"
      ? (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] as const)
      : (["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] as const);
  switch (arrow) {
    case forth:
      return beside(layout, current, 1, direction) ?? connected(layout, current, "target", direction);
    case back:
      return beside(layout, current, -1, direction) ?? connected(layout, current, "source", direction);
    case before:
      return across(layout, current, -1, direction);
    case after:
      return across(layout, current, 1, direction);
    default:
      return null;
  }
}

/** Returns the middle of a vertex, along the layers and across them. */
function middle({ x, y, width, height }: Placed, direction: Direction): readonly [along: number, across: number] {
  const [wide, high] = [x + width / 2, y + height / 2];
  return direction === "right" ? [wide, high] : [high, wide];
}

function connected(
  { nodes, edges }: Layout,
  current: Placed,
  end: "source" | "target",
  direction: Direction,
): string | null {
  const start = end === "source" ? "target" : "source";
  const ids = new Set(edges.filter((edge) => edge[start] === current.id).map((edge) => edge[end]));
  const [, from] = middle(current, direction);
  return nearest(
    nodes.filter(({ id }) => ids.has(id)),
    (node) => [Math.abs(middle(node, direction)[1] - from), 0],
  );
}

/** Returns the next vertex of the same rank. */
function beside({ nodes }: Layout, current: Placed, step: 1 | -1, direction: Direction): string | null {
  const [along, rank] = middle(current, direction);
  return nearest(
    nodes.filter((node) => {
      const [at, other] = middle(node, direction);
      return node.layer === current.layer && other === rank && (at - along) * step > 0;
    }),
    (node) => [Math.abs(middle(node, direction)[0] - along), 0],
  );
}

/** Returns the next vertex of the layer. With several ranks, it is the vertex straight ahead in the next rank. */
function across({ nodes }: Layout, current: Placed, step: 1 | -1, direction: Direction): string | null {
  const [along, rank] = middle(current, direction);
  return nearest(
    nodes.filter((node) => node.layer === current.layer && (middle(node, direction)[1] - rank) * step > 0),
    (node) => {
      const [at, other] = middle(node, direction);
      return [Math.abs(other - rank), Math.abs(at - along)];
    },
  );
}

/** Returns the nearest node by the first distance, and by the second among equals. */
function nearest(nodes: readonly Placed[], distance: (node: Placed) => readonly [number, number]): string | null {
  let best: { readonly id: string; readonly far: readonly [number, number] } | null = null;
  for (const node of nodes) {
    const far = distance(node);
    if (best === null || far[0] < best.far[0] || (far[0] === best.far[0] && far[1] < best.far[1]))
      best = { id: node.id, far };
  }
  return best?.id ?? null;
}
