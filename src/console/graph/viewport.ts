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
/** Smallest zoom with readable labels. Rather than all of the graph unreadable, a part of it is shown. */
const ZOOM_READABLE = 0.6;
/** Largest zoom for a small graph. Cards would look too large above it. */
const ZOOM_FILLING = 1.2;
const MARGIN = 24;
/** Space for the note and the switch above the graph, reserved if the pane is high enough. */
const TOP = 56;
const HIGH_PANE = 320;

/** Returns the initial viewport: the whole graph centred if its labels are readable, otherwise its beginning. */
export function openingViewport(graph: Size, pane: Size): Viewport {
  return isReadable(graph, pane) ? wholeViewport(graph, pane) : beginningAt(graph, pane, ZOOM_READABLE);
}

/** Checks whether the whole graph fits with readable labels. */
export function isReadable(graph: Size, pane: Size): boolean {
  return fitZoom(graph, pane) >= ZOOM_READABLE;
}

/** Returns a viewport that shows the whole graph, however small it becomes. */
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

/** Shows the side where the layers begin, and centres a graph that is smaller than the pane. */
function beginningAt(graph: Size, pane: Size, zoom: number): Viewport {
  const along = (size: number, room: number, margin: number): number =>
    size * zoom <= room - margin * 2 ? (room - size * zoom) / 2 : margin;
  return { zoom, x: along(graph.width, pane.width, MARGIN), y: along(graph.height, pane.height, TOP) };
}

/** Rounds the zoom down in steps, so that a small change of zoom changes no text. */
export function textZoom(zoom: number): number {
  return Math.max(ZOOM_MIN, Math.min(1, Math.floor(zoom * 20) / 20));
}

const ZOOM_NAMES = 0.25;

/** Returns which texts of a card fit when none is smaller than 11 pixels on the screen. */
export function textsAt(zoom: number): "all" | "names" | "none" {
  if (zoom >= ZOOM_READABLE) return "all";
  return zoom >= ZOOM_NAMES ? "names" : "none";
}

export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** Returns the upper left corner of all boxes together. Null when there are no boxes. */
export function cornerOf(boxes: readonly Box[]): { readonly x: number; readonly y: number } | null {
  if (boxes.length === 0) return null;
  let [x, y] = [Infinity, Infinity];
  for (const box of boxes) {
    x = Math.min(x, box.x);
    y = Math.min(y, box.y);
  }
  return { x, y };
}

/** Returns the viewport moved as little as needed to show a box. */
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

/** Zoom below which a card is only a few pixels high and is drawn as a colour, since its text is unreadable. */
const ZOOM_FAR = 0.4;
const FAR_FROM = 60;

/** Checks whether cards are drawn as boxes, because the zoom is small or many cards are visible. */
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

/** Returns the box at a place of the pane. */
export function boxAt<B extends Box>(boxes: readonly B[], viewport: Viewport, left: number, top: number): B | null {
  const x = (left - viewport.x) / viewport.zoom;
  const y = (top - viewport.y) / viewport.zoom;
  return boxes.find((box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height) ?? null;
}
