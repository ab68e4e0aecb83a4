import { type JSX, type MouseEvent, useCallback, useRef } from "react";
import { useTheme } from "../page/preferences.ts";
import { type Store, useStore } from "../page/store.ts";
import { drawBoxes, paletteOf, penOf, type Picture } from "./picture.ts";
import { useDrawing } from "./use-drawing.ts";
import type { Size, Viewport } from "./viewport.ts";

const MAP = { width: 168, height: 104 } as const;

interface MiniMapProps extends Omit<Picture, "direction"> {
  readonly viewport: Store<Viewport>;
  readonly pane: Size;
  /** Called with a place in graph coordinates. */
  readonly onGo: (x: number, y: number) => void;
}

/** Shows the whole graph as dots in status colours, and the visible part as a frame. For use with the mouse only. */
export function MiniMap({ layout, grouped, source, viewport, pane, onGo }: MiniMapProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const view = viewOf(layout);
  const draw = useCallback(
    (element: HTMLCanvasElement): void => {
      const pen = penOf(element, MAP);
      if (pen !== null) drawBoxes(pen, { layout, grouped, source }, viewOf(layout), MAP, paletteOf(element));
    },
    [layout, grouped, source, theme], // oxlint-disable-line react-hooks/exhaustive-deps -- Another theme has other colours.
  );
  useDrawing(canvas, source, draw);
  const go = (event: MouseEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    onGo((event.clientX - box.left - view.x) / view.zoom, (event.clientY - box.top - view.y) / view.zoom);
  };
  return (
    <div className="graph-map" aria-hidden="true" onClick={go}>
      <canvas ref={canvas} />
      <Sight map={view} viewport={viewport} pane={pane} />
    </div>
  );
}

/** Frame of the visible part. It alone is updated with every animation frame. */
function Sight({
  map,
  viewport,
  pane,
}: Pick<MiniMapProps, "viewport" | "pane"> & { readonly map: Viewport }): JSX.Element {
  const { x, y, zoom } = useStore(viewport);
  return (
    <span
      className="graph-map-sight"
      style={{
        transform: `translate(${map.x - (x / zoom) * map.zoom}px, ${map.y - (y / zoom) * map.zoom}px)`,
        width: (pane.width / zoom) * map.zoom,
        height: (pane.height / zoom) * map.zoom,
      }}
    />
  );
}

function viewOf({ width, height }: Size): Viewport {
  const zoom = Math.min(MAP.width / Math.max(1, width), MAP.height / Math.max(1, height));
  return { zoom, x: (MAP.width - width * zoom) / 2, y: (MAP.height - height * zoom) / 2 };
}
