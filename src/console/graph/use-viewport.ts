import type { ReactFlowInstance } from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import type { Layout, Placed } from "../../core/graph/layout/index.ts";
import { Store } from "../page/store.ts";
import type { NodeElement, EdgeElement } from "./elements.tsx";
import {
  isReadable,
  cornerOf,
  openingViewport,
  revealing,
  type Size,
  type Viewport,
  wholeViewport,
  ZOOM_MAX,
  ZOOM_MIN,
} from "./viewport.ts";

export interface GraphViewport {
  /** Initial viewport. Null while the size of the pane is unknown. */
  readonly opening: Viewport | null;
  /** Present viewport. Changes with every animation frame during a movement, so only its subscribers are drawn again. */
  readonly now: Store<Viewport>;
  readonly onInit: (instance: ReactFlowInstance<NodeElement, EdgeElement>) => void;
  readonly onMove: (event: unknown, viewport: Viewport) => void;
  /** Moves the viewport as little as needed to show a vertex. */
  readonly reveal: (id: string) => void;
  readonly showAll: () => void;
  readonly zoomBy: (factor: number) => void;
  readonly goTo: (x: number, y: number) => void;
  /**
   * Keeps the given vertices at their place on screen when the layout changes next. A group may be replaced by its members or the reverse.
   */
  readonly hold: (ids: readonly string[]) => void;
}

interface Held {
  readonly ids: readonly string[];
  readonly before: { readonly x: number; readonly y: number };
}

function boxesOf(layout: Layout | null, ids: readonly string[]): readonly Placed[] {
  const wanted = new Set(ids);
  return layout?.nodes.filter(({ id }) => wanted.has(id)) ?? [];
}

/** Returns the viewport after opening or closing: opened content starts where the group was, closed content is scrolled into view. */
function viewportAfterToggle(
  held: Held | null,
  layout: Layout | null,
  now: Viewport | null,
  pane: Size,
): Viewport | null {
  const boxes = held === null ? [] : boxesOf(layout, held.ids);
  const after = cornerOf(boxes);
  const [first] = boxes;
  if (held === null || after === null || first === undefined || now === null) return null;
  const { zoom } = now;
  const kept = { zoom, x: now.x + (held.before.x - after.x) * zoom, y: now.y + (held.before.y - after.y) * zoom };
  return revealing(first, kept, pane);
}

/** Manages the visible part of the graph. Until a person moves it, it follows the size of graph and pane. */
export function useViewport(layout: Layout | null, pane: Size): GraphViewport {
  const instance = useRef<ReactFlowInstance<NodeElement, EdgeElement> | null>(null);
  const isMoved = useRef(false);
  const now = useMemo(() => new Store<Viewport>({ x: 0, y: 0, zoom: 1 }), []);
  const opening = useMemo(
    () => (layout === null || pane.width === 0 ? null : openingViewport(layout, pane)),
    [layout, pane],
  );
  const held = useRef<Held | null>(null);
  useEffect(() => {
    const kept = viewportAfterToggle(held.current, layout, instance.current?.getViewport() ?? null, pane);
    held.current = null;
    // A graph that fits is shown as a whole, unless a person has chosen a part.
    const isWhole = !isMoved.current && layout !== null && isReadable(layout, pane);
    const next = isWhole ? opening : (kept ?? (isMoved.current ? null : opening));
    if (next === null) return;
    if (next === kept) isMoved.current = true;
    now.set(next);
    void instance.current?.setViewport(next);
  }, [now, opening, layout, pane]);
  const set = (viewport: Viewport): void => {
    isMoved.current = true;
    now.set(viewport);
    // One frame later, because cards that are too small at this zoom are then removed and need not be drawn by the canvas
    // first.
    requestAnimationFrame(() => void instance.current?.setViewport(viewport));
  };
  return {
    opening,
    now,
    onInit: (made) => {
      instance.current = made;
    },
    onMove: (event, { x, y, zoom }) => {
      // A click also starts a move, but without a change of the viewport. Only a real change counts.
      const before = now.get();
      if (x === before.x && y === before.y && zoom === before.zoom) return;
      if (event !== null) isMoved.current = true;
      now.set({ x, y, zoom });
    },
    reveal: (id) => {
      const placed = layout?.nodes.find((node) => node.id === id);
      if (placed === undefined || pane.width === 0) return;
      const from = instance.current?.getViewport() ?? now.get();
      const to = revealing(placed, from, pane);
      if (to.x === from.x && to.y === from.y) return;
      now.set(to);
      void instance.current?.setViewport(to);
    },
    showAll: () => {
      if (layout !== null) set(wholeViewport(layout, pane));
    },
    zoomBy: (factor) => {
      const from = now.get();
      const zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, from.zoom * factor));
      const [x, y] = [pane.width / 2, pane.height / 2];
      set({ zoom, x: x - ((x - from.x) / from.zoom) * zoom, y: y - ((y - from.y) / from.zoom) * zoom });
    },
    hold: (ids) => {
      const before = cornerOf(boxesOf(layout, ids));
      held.current = before === null ? null : { ids, before };
    },
    goTo: (x, y) => {
      const { zoom } = now.get();
      set({ zoom, x: pane.width / 2 - x * zoom, y: pane.height / 2 - y * zoom });
    },
  };
}
