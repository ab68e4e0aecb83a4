import { type JSX, useCallback, useRef, useSyncExternalStore } from "react";
import { type Layout, VISIBLE_MAX } from "../../core/graph/layout/index.ts";
import { useTheme } from "../page/preferences.ts";
import { type Store, useStore } from "../page/store.ts";
import { useGraph } from "./graph-context.ts";
import { drawBoxes, drawFrames, drawLines, paletteOf, penOf, type Picture } from "./picture.ts";
import { useDrawing } from "./use-drawing.ts";
import { isFar, type Size, type Viewport } from "./viewport.ts";

/** Checks whether cards are too small or too many to be drawn as cards. */
export function useIsFar(layout: Layout, viewport: Store<Viewport>, pane: Size): boolean {
  return useSyncExternalStore(
    viewport.subscribe,
    () => pane.width > 0 && isFar(layout.nodes, viewport.get(), pane, VISIBLE_MAX),
  );
}

interface BackdropProps extends Picture {
  readonly viewport: Store<Viewport>;
  readonly pane: Size;
  /** True when nodes are drawn as boxes in status colours. Otherwise only the edges are drawn. */
  readonly isFar: boolean;
}

/**
 * Canvas for parts that are too many for page elements: the edges of a large graph and, when zoomed out, its nodes. A
 * list contains the same information as text.
 */
export function Backdrop(props: BackdropProps): JSX.Element {
  const { direction, layout, grouped, source, viewport, pane, isFar: isAway } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const graph = useGraph();
  const now = useStore(viewport);
  const selected = useStore(graph.selected);
  const cursor = useStore(graph.cursor);
  const theme = useTheme();
  const draw = useCallback(
    (element: HTMLCanvasElement): void => {
      const pen = penOf(element, pane);
      if (pen === null) return;
      const picture = { direction, layout, grouped, source };
      const palette = paletteOf(element);
      drawLines(pen, picture, now, pane, palette, selected);
      if (!isAway) return;
      drawBoxes(pen, picture, now, pane, palette);
      drawFrames(pen, layout, now, palette, [selected, cursor]);
    },
    [direction, layout, grouped, source, pane, now, isAway, selected, cursor, theme], // oxlint-disable-line react-hooks/exhaustive-deps -- Another theme has other colours.
  );
  useDrawing(canvas, source, draw);
  return (
    <canvas
      ref={canvas}
      className={`graph-backdrop ${isAway ? "is-far" : ""}`}
      aria-hidden="true"
      style={{ width: pane.width, height: pane.height }}
    />
  );
}
