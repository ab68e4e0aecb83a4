import { type JSX, type MouseEvent, useEffect, useRef } from "react";
import type { Grouped, Layout } from "../../core/layout/index.ts";
import { useTheme } from "../app/preferences.ts";
import { lookOf, type Tone } from "../parts/status.tsx";
import type { GraphSource } from "./graph-node.ts";
import { countsText, readCounts, urgentOf } from "./status-counts.ts";
import type { Size, Viewport } from "./viewport.ts";

const MAP = { width: 168, height: 104 } as const;
const REDRAW_MS = 200;
const TONES: readonly Tone[] = ["ok", "bad", "warn", "info", "hold", "idle"];

interface MiniMapProps {
  readonly layout: Layout;
  readonly grouped: Grouped;
  readonly source: GraphSource;
  readonly viewport: Viewport;
  readonly pane: Size;
  /** A place of the graph, in its own measure. */
  readonly onGo: (x: number, y: number) => void;
}

/** The whole graph as dots in the colours of how they stand, and the part that is in sight. For the mouse only. */
export function MiniMap({ layout, grouped, source, viewport, pane, onGo }: MiniMapProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  const scale = Math.min(MAP.width / Math.max(1, layout.width), MAP.height / Math.max(1, layout.height));
  useEffect(() => {
    const draw = (): void => {
      if (canvas.current !== null) drawMap(canvas.current, { layout, grouped, source, viewport, pane, scale });
    };
    let timer: ReturnType<typeof setTimeout> | null = null;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        draw();
      }, REDRAW_MS);
    };
    draw();
    const stop = source.onNodes(soon);
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [layout, grouped, source, viewport, pane, scale, theme]);
  const go = (event: MouseEvent<HTMLCanvasElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const { left, top } = marginsOf(layout, scale);
    onGo((event.clientX - box.left - left) / scale, (event.clientY - box.top - top) / scale);
  };
  return (
    <canvas
      ref={canvas}
      className="graph-map"
      width={MAP.width * 2}
      height={MAP.height * 2}
      aria-hidden="true"
      onClick={go}
    />
  );
}

function marginsOf(layout: Size, scale: number): { readonly left: number; readonly top: number } {
  return { left: (MAP.width - layout.width * scale) / 2, top: (MAP.height - layout.height * scale) / 2 };
}

type Drawn = Pick<MiniMapProps, "layout" | "grouped" | "source" | "viewport" | "pane"> & { readonly scale: number };

function drawMap(canvas: HTMLCanvasElement, { layout, grouped, source, viewport, pane, scale }: Drawn): void {
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  const style = getComputedStyle(canvas);
  const colours = new Map(TONES.map((tone) => [tone, style.getPropertyValue(`--${tone}`)]));
  const membersOf = new Map(
    grouped.vertices.map((vertex) => [vertex.id, vertex.kind === "group" ? vertex.members : null]),
  );
  const { left, top } = marginsOf(layout, scale);
  pen.setTransform(2, 0, 0, 2, 0, 0);
  pen.clearRect(0, 0, MAP.width, MAP.height);
  for (const { id, x, y, width, height } of layout.nodes) {
    const members = membersOf.get(id) ?? null;
    const status = members === null ? source.node(id)?.status : urgentOf(readCounts(countsText(members, source.node)));
    pen.fillStyle = colours.get(status === undefined ? "idle" : lookOf(status).tone) ?? "gray";
    pen.fillRect(left + x * scale, top + y * scale, Math.max(1.5, width * scale), Math.max(1.5, height * scale));
  }
  pen.strokeStyle = style.getPropertyValue("--accent");
  pen.lineWidth = 1.5;
  pen.strokeRect(
    left + (-viewport.x / viewport.zoom) * scale,
    top + (-viewport.y / viewport.zoom) * scale,
    (pane.width / viewport.zoom) * scale,
    (pane.height / viewport.zoom) * scale,
  );
}
