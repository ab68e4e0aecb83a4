import { type RefObject, useEffect } from "react";
import type { GraphSource } from "./graph-node.ts";

const REDRAW_MS = 200;

/** Draws at once when `draw` changes, and a few times per second while nodes change. */
export function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  source: GraphSource,
  draw: (canvas: HTMLCanvasElement) => void,
): void {
  useEffect(() => {
    const now = (): void => {
      if (canvas.current !== null) draw(canvas.current);
    };
    let timer: ReturnType<typeof setTimeout> | null = null;
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        now();
      }, REDRAW_MS);
    };
    now();
    const stop = source.onNodes(soon);
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [canvas, source, draw]);
}
