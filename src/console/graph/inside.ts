import { type Grouped, groupGraph, type Layout, layOut } from "../../core/graph/layout/index.ts";
import { CARD, GAPS } from "./card.ts";
import type { GraphNode, GraphSource } from "./graph-node.ts";

/** Content of a block, drawn inside the card of its node while the block is open. */
export interface Inside {
  readonly nodes: readonly GraphNode[];
  readonly source: GraphSource;
  /** The run of the block. Null when the block is not run. */
  readonly runId: string | null;
}

/** The area in which the content of a block is drawn. */
export interface Frame {
  readonly inside: Inside;
  readonly grouped: Grouped;
  readonly layout: Layout;
  readonly width: number;
  readonly height: number;
}

export const FRAME_HEAD = 54;
export const FRAME_GAP = 12;

/** Returns the key of a node inside the block of another. */
export function insideKey(key: string, nodeId: string): string {
  return `${key}/${nodeId}`;
}

/** Returns frames by key, inner ones first, since the size of a frame depends on its content. */
export function framesOf(
  insides: ReadonlyMap<string, Inside>,
  open: ReadonlySet<string>,
  direction: "right" | "down",
): ReadonlyMap<string, Frame> {
  const frames = new Map<string, Frame>();
  const keys = [...insides.keys()].sort((left, right) => right.length - left.length);
  for (const key of keys) {
    const inside = insides.get(key);
    if (inside !== undefined) frames.set(key, frameOf(key, inside, open, direction, frames));
  }
  return frames;
}

function frameOf(
  key: string,
  inside: Inside,
  open: ReadonlySet<string>,
  direction: "right" | "down",
  frames: ReadonlyMap<string, Frame>,
): Frame {
  const before = insideKey(key, "");
  const own = new Set([...open].filter((id) => id.startsWith(before)).map((id) => id.slice(before.length)));
  const grouped = groupGraph(inside.nodes, { open: own });
  const sizes = grouped.vertices.map(({ id }) => ({ id, ...sizeOf(frames.get(insideKey(key, id))) }));
  const layout = layOut(sizes, grouped.edges, { direction, ...GAPS });
  return {
    inside,
    grouped,
    layout,
    width: Math.max(CARD.width, layout.width + 2 * FRAME_GAP),
    height: FRAME_HEAD + layout.height + FRAME_GAP,
  };
}

export function sizeOf(frame: Frame | undefined): { readonly width: number; readonly height: number } {
  return frame === undefined ? CARD : { width: frame.width, height: frame.height };
}
