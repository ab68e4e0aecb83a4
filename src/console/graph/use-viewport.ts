import type { ReactFlowInstance } from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Layout } from "../../core/layout/index.ts";
import type { Card, Line } from "./elements.tsx";
import { openingViewport, revealing, type Size, type Viewport, wholeViewport, ZOOM_MAX, ZOOM_MIN } from "./viewport.ts";

export interface GraphViewport {
  /** Where to begin; null while the size of the pane is not known. */
  readonly opening: Viewport | null;
  readonly now: Viewport;
  readonly onInit: (instance: ReactFlowInstance<Card, Line>) => void;
  readonly onMove: (event: unknown, viewport: Viewport) => void;
  readonly onMoveStart: (event: unknown) => void;
  /** Moves as little as needed for a vertex to be in sight. */
  readonly reveal: (id: string) => void;
  readonly showAll: () => void;
  readonly zoomBy: (factor: number) => void;
  readonly goTo: (x: number, y: number) => void;
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
  useEffect(() => {
    if (opening === null || isMoved.current) return;
    setNow(opening);
    void instance.current?.setViewport(opening);
  }, [opening]);
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
    onMove: (_, { x, y, zoom }) => setNow({ x, y, zoom }),
    onMoveStart: (event) => {
      if (event !== null) isMoved.current = true;
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
    goTo: (x, y) => set({ zoom: now.zoom, x: pane.width / 2 - x * now.zoom, y: pane.height / 2 - y * now.zoom }),
  };
}
