import type { ReactFlowInstance } from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Layout, Placed } from "../../core/layout/index.ts";
import type { Card, Line } from "./elements.tsx";
import {
  isReadable,
  middleOf,
  openingViewport,
  revealing,
  type Size,
  type Viewport,
  wholeViewport,
  ZOOM_MAX,
  ZOOM_MIN,
} from "./viewport.ts";

export interface GraphViewport {
  /** Where to begin; null while the size of the pane is not known. */
  readonly opening: Viewport | null;
  readonly now: Viewport;
  readonly onInit: (instance: ReactFlowInstance<Card, Line>) => void;
  readonly onMove: (event: unknown, viewport: Viewport) => void;
  /** Moves as little as needed for a vertex to be in sight. */
  readonly reveal: (id: string) => void;
  readonly showAll: () => void;
  readonly zoomBy: (factor: number) => void;
  readonly goTo: (x: number, y: number) => void;
  /** Keeps what is drawn for some ids where it is, when the layout changes next: one of them may become the others. */
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

function holding(held: Held | null, layout: Layout | null, now: Viewport | null): Viewport | null {
  const after = held === null ? null : middleOf(boxesOf(layout, held.ids));
  if (held === null || after === null || now === null) return null;
  const { zoom } = now;
  return { zoom, x: now.x + (held.before.x - after.x) * zoom, y: now.y + (held.before.y - after.y) * zoom };
}

/** The part of the graph that is in sight. Until a person moves it, it follows the size of graph and pane. */
export function useViewport(layout: Layout | null, pane: Size): GraphViewport {
  const instance = useRef<ReactFlowInstance<Card, Line> | null>(null);
  const isMoved = useRef(false);
  const [now, setNow] = useState<Viewport>({ x: 0, y: 0, zoom: 1 });
  const opening = useMemo(
    () => (layout === null || pane.width === 0 ? null : openingViewport(layout, pane)),
    [layout, pane],
  );
  const held = useRef<Held | null>(null);
  useEffect(() => {
    const kept = holding(held.current, layout, instance.current?.getViewport() ?? null);
    held.current = null;
    // What fits as a whole is shown as a whole, unless a person has chosen a part.
    const isWhole = !isMoved.current && layout !== null && isReadable(layout, pane);
    const next = isWhole ? opening : (kept ?? (isMoved.current ? null : opening));
    if (next === null) return;
    if (next === kept) isMoved.current = true;
    setNow(next);
    void instance.current?.setViewport(next);
  }, [opening, layout, pane]);
  const set = (viewport: Viewport): void => {
    isMoved.current = true;
    setNow(viewport);
    void instance.current?.setViewport(viewport);
  };
  return {
    opening,
    now,
    onInit: (made) => {
      instance.current = made;
    },
    onMove: (event, { x, y, zoom }) => {
      // A click begins a move that goes nowhere; only one that went somewhere was meant.
      if (event !== null && (x !== now.x || y !== now.y || zoom !== now.zoom)) isMoved.current = true;
      setNow({ x, y, zoom });
    },
    reveal: (id) => {
      const placed = layout?.nodes.find((node) => node.id === id);
      if (placed === undefined || pane.width === 0) return;
      const from = instance.current?.getViewport() ?? now;
      const to = revealing(placed, from, pane);
      if (to.x === from.x && to.y === from.y) return;
      setNow(to);
      void instance.current?.setViewport(to);
    },
    showAll: () => {
      if (layout !== null) set(wholeViewport(layout, pane));
    },
    zoomBy: (factor) => {
      const zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, now.zoom * factor));
      const [x, y] = [pane.width / 2, pane.height / 2];
      set({ zoom, x: x - ((x - now.x) / now.zoom) * zoom, y: y - ((y - now.y) / now.zoom) * zoom });
    },
    hold: (ids) => {
      const before = middleOf(boxesOf(layout, ids));
      held.current = before === null ? null : { ids, before };
    },
    goTo: (x, y) => set({ zoom: now.zoom, x: pane.width / 2 - x * now.zoom, y: pane.height / 2 - y * now.zoom }),
  };
}
