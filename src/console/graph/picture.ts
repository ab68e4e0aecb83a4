import type { Grouped, Layout, Point } from "../../core/graph/layout/index.ts";
import { lookOf, nodeLook, type Tone } from "../parts/status.tsx";
import type { GraphSource } from "./graph-node.ts";
import { countsText, readCounts, urgentOf } from "./status-counts.ts";
import type { Size, Viewport } from "./viewport.ts";

const TONES: readonly Tone[] = ["ok", "bad", "warn", "info", "hold", "idle"];
const BOX_MIN = 1.5;

/** A graph drawn on a canvas as boxes in status colours. */
export interface Picture {
  readonly direction: "right" | "down";
  readonly layout: Layout;
  readonly grouped: Grouped;
  readonly source: GraphSource;
}

/** Colours of the present theme. */
export interface GraphColours {
  readonly tones: ReadonlyMap<Tone, string>;
  readonly line: string;
  readonly accent: string;
}

export function paletteOf(element: Element): GraphColours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`);
  return {
    tones: new Map(TONES.map((tone) => [tone, colour(tone)])),
    line: colour("border-strong"),
    accent: colour("accent"),
  };
}

/** Clears a canvas, sets its size, and prepares it for the pixel density of the screen. */
export function penOf(canvas: HTMLCanvasElement, { width, height }: Size): CanvasRenderingContext2D | null {
  const density = Math.min(2, Math.max(1, devicePixelRatio));
  const [wide, high] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const pen = canvas.getContext("2d");
  pen?.setTransform(density, 0, 0, density, 0, 0);
  pen?.clearRect(0, 0, width, height);
  return pen;
}

/** Draws the visible boxes one colour after the other, because changing the colour is expensive. */
export function drawBoxes(
  pen: CanvasRenderingContext2D,
  { layout, grouped, source }: Omit<Picture, "direction">,
  { x: left, y: top, zoom }: Viewport,
  sight: Size,
  { tones }: GraphColours,
): void {
  const toneOf = tonesOf(grouped, source);
  const boxes = new Map<Tone, Path2D>();
  for (const { id, x, y, width, height } of layout.nodes) {
    const [atX, atY] = [left + x * zoom, top + y * zoom];
    const [wide, high] = [Math.max(BOX_MIN, width * zoom), Math.max(BOX_MIN, height * zoom)];
    if (atX > sight.width || atY > sight.height || atX + wide < 0 || atY + high < 0) continue;
    const tone = toneOf(id);
    const path = boxes.get(tone) ?? new Path2D();
    boxes.set(tone, path);
    path.rect(atX, atY, wide, high);
  }
  for (const [tone, path] of boxes) {
    pen.fillStyle = tones.get(tone) ?? "gray";
    pen.fill(path);
  }
}

function tonesOf({ vertices }: Grouped, source: GraphSource): (id: string) => Tone {
  const membersOf = new Map<string, readonly string[]>();
  for (const vertex of vertices) if (vertex.kind === "group") membersOf.set(vertex.id, vertex.members);
  return (id) => {
    const members = membersOf.get(id);
    if (members !== undefined) return lookOf(urgentOf(readCounts(countsText(members, source.node)))).tone;
    const node = source.node(id);
    return node === undefined ? "idle" : lookOf(nodeLook(node)).tone;
  };
}

/** Zoom below which a curve looks like a straight line. */
const ZOOM_BENT = 0.3;

type Stroke = "idle" | "done" | "working" | "near";

/** Draws the visible edges. All edges of one style form one path, because thousands of separate paths are slow. */
export function drawLines(
  pen: CanvasRenderingContext2D,
  { direction, layout, source }: Picture,
  { x, y, zoom }: Viewport,
  sight: Size,
  palette: GraphColours,
  selected: string | null,
): void {
  const paths = new Map<Stroke, Path2D>();
  const [left, top] = [-x / zoom, -y / zoom];
  const [right, bottom] = [left + sight.width / zoom, top + sight.height / zoom];
  for (const { source: from, target: to, points } of layout.edges) {
    if (!isInSight(points, left, top, right, bottom)) continue;
    const stroke = from === selected || to === selected ? "near" : strokeOf(source, from, to);
    const path = paths.get(stroke) ?? new Path2D();
    paths.set(stroke, path);
    trace(path, points, zoom < ZOOM_BENT ? null : direction);
  }
  pen.save();
  pen.translate(x, y);
  pen.scale(zoom, zoom);
  for (const stroke of ["idle", "done", "working", "near"] as const) {
    const path = paths.get(stroke);
    if (path === undefined) continue;
    pen.strokeStyle = colourOf(stroke, palette);
    pen.globalAlpha = stroke === "near" ? 1 : zoom < ZOOM_BENT ? 0.3 : 0.6;
    pen.lineWidth = (stroke === "near" ? 2 : zoom < ZOOM_BENT ? 0.5 : 1) / zoom;
    pen.stroke(path);
  }
  pen.restore();
}

function isInSight(points: readonly Point[], left: number, top: number, right: number, bottom: number): boolean {
  let [lowX, highX, lowY, highY] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of points) {
    lowX = Math.min(lowX, x);
    highX = Math.max(highX, x);
    lowY = Math.min(lowY, y);
    highY = Math.max(highY, y);
  }
  return highX >= left && lowX <= right && highY >= top && lowY <= bottom;
}

function strokeOf({ node }: GraphSource, from: string, to: string): Stroke {
  const status = node(to)?.status;
  if (status === "running" || status === "streaming") return "working";
  return node(from)?.status === "completed" ? "done" : "idle";
}

function colourOf(stroke: Stroke, { tones, line, accent }: GraphColours): string {
  if (stroke === "near") return accent;
  if (stroke === "idle") return line;
  return tones.get(stroke === "done" ? "ok" : "info") ?? line;
}

/** Traces an edge in the same shape as an edge that is a page element. */
function trace(path: Path2D, points: readonly Point[], bent: "right" | "down" | null): void {
  let from: Point | null = null;
  for (const to of points) {
    if (from === null) path.moveTo(to.x, to.y);
    else if (bent === null || from.x === to.x || from.y === to.y) path.lineTo(to.x, to.y);
    else if (bent === "right") {
      const middle = (from.x + to.x) / 2;
      path.bezierCurveTo(middle, from.y, middle, to.y, to.x, to.y);
    } else {
      const middle = (from.y + to.y) / 2;
      path.bezierCurveTo(from.x, middle, to.x, middle, to.x, to.y);
    }
    from = to;
  }
}

/** Draws frames around selected vertices and the vertex of the keyboard cursor. */
export function drawFrames(
  pen: CanvasRenderingContext2D,
  { nodes }: Layout,
  { x, y, zoom }: Viewport,
  { accent }: GraphColours,
  ids: readonly (string | null)[],
): void {
  pen.strokeStyle = accent;
  pen.lineWidth = 2;
  for (const box of nodes) {
    if (!ids.includes(box.id)) continue;
    pen.strokeRect(x + box.x * zoom - 2, y + box.y * zoom - 2, box.width * zoom + 4, box.height * zoom + 4);
  }
}
