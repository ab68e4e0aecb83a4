export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Viewport {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export const ZOOM_MIN = 0.08;
export const ZOOM_MAX = 2;
/** Smaller, and no label could be read: rather a part of the graph than all of it unreadable. */
const ZOOM_READABLE = 0.6;
/** A small graph is drawn larger, as long as its cards do not look swollen. */
const ZOOM_FILLING = 1.2;
const MARGIN = 24;
/** Above the graph stand a note and a switch. They are kept free where the pane is high enough. */
const TOP = 56;
const HIGH_PANE = 320;

/** All of the graph in the middle of the pane when its labels can still be read, otherwise its beginning. */
export function openingViewport(graph: Size, pane: Size): Viewport {
  return isReadable(graph, pane) ? wholeViewport(graph, pane) : beginningAt(graph, pane, ZOOM_READABLE);
}

/** Whether all of the graph can be in sight and read. */
export function isReadable(graph: Size, pane: Size): boolean {
  return fitZoom(graph, pane) >= ZOOM_READABLE;
}

/** All of the graph, however small it becomes. */
export function wholeViewport(graph: Size, pane: Size): Viewport {
  const zoom = Math.max(ZOOM_MIN, fitZoom(graph, pane));
  const y = (pane.height - graph.height * zoom) / 2;
  const lowest = pane.height - MARGIN - graph.height * zoom;
  return { zoom, x: (pane.width - graph.width * zoom) / 2, y: Math.max(y, Math.min(topOf(pane), lowest)) };
}

function fitZoom(graph: Size, pane: Size): number {
  const wide = (pane.width - MARGIN * 2) / Math.max(1, graph.width);
  const high = (pane.height - topOf(pane) - MARGIN) / Math.max(1, graph.height);
  return Math.min(ZOOM_FILLING, wide, high);
}

function topOf({ height }: Size): number {
  return height > HIGH_PANE ? TOP : MARGIN;
}

/** The side the layers begin at is in sight, and what is smaller than the pane stands in its middle. */
function beginningAt(graph: Size, pane: Size, zoom: number): Viewport {
  const along = (size: number, room: number, margin: number): number =>
    size * zoom <= room - margin * 2 ? (room - size * zoom) / 2 : margin;
  return { zoom, x: along(graph.width, pane.width, MARGIN), y: along(graph.height, pane.height, TOP) };
}

/** In steps, rounded down, so that little scrolling changes no text. */
export function textZoom(zoom: number): number {
  return Math.max(ZOOM_MIN, Math.min(1, Math.floor(zoom * 20) / 20));
}

const ZOOM_NAMES = 0.25;

/** Which texts of a card have room when none is smaller than 11 pixels on the screen. */
export function textsAt(zoom: number): "all" | "names" | "none" {
  if (zoom >= ZOOM_READABLE) return "all";
  return zoom >= ZOOM_NAMES ? "names" : "none";
}

export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** The left upper corner of some boxes together; null of none. */
export function cornerOf(boxes: readonly Box[]): { readonly x: number; readonly y: number } | null {
  if (boxes.length === 0) return null;
  let [x, y] = [Infinity, Infinity];
  for (const box of boxes) {
    x = Math.min(x, box.x);
    y = Math.min(y, box.y);
  }
  return { x, y };
}

/** The viewport moved as little as needed for a box to be in sight. */
export function revealing(box: Box, { x, y, zoom }: Viewport, pane: Size): Viewport {
  const shift = (from: number, size: number, at: number, room: number, margin: number): number => {
    const start = from * zoom + at;
    const end = (from + size) * zoom + at;
    if (start < margin) return at + margin - start;
    return end > room - MARGIN ? at - (end - (room - MARGIN)) : at;
  };
  return {
    zoom,
    x: shift(box.x, box.width, x, pane.width, MARGIN),
    y: shift(box.y, box.height, y, pane.height, TOP),
  };
}

/** Below, a card is a few pixels high: it is drawn as a colour, because its text could not be read. */
const ZOOM_FAR = 0.4;
const FAR_FROM = 60;

/** Whether the graph is looked at from so far, or so much of it, that cards are drawn as boxes. */
export function isFar(boxes: readonly Box[], { x, y, zoom }: Viewport, pane: Size, most: number): boolean {
  if (boxes.length <= FAR_FROM) return false;
  if (zoom < ZOOM_FAR) return true;
  if (boxes.length <= most) return false;
  let seen = 0;
  for (const box of boxes) {
    const isSeenX = (box.x + box.width) * zoom + x > 0 && box.x * zoom + x < pane.width;
    const isSeenY = (box.y + box.height) * zoom + y > 0 && box.y * zoom + y < pane.height;
    if (isSeenX && isSeenY) seen += 1;
  }
  return seen > most;
}

/** The box a place of the pane lies in. */
export function boxAt<B extends Box>(boxes: readonly B[], viewport: Viewport, left: number, top: number): B | null {
  const x = (left - viewport.x) / viewport.zoom;
  const y = (top - viewport.y) / viewport.zoom;
  return boxes.find((box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height) ?? null;
}
