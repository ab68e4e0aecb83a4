import { type RefObject, useEffect, useState } from "react";

const DRAWN_MAX = 200;
const AROUND = 30;

export interface VisibleRows {
  readonly from: number;
  readonly to: number;
  /** Heights of the space that replaces rows that are not drawn. */
  readonly before: number;
  readonly after: number;
}

/** Returns which of many rows of equal height are visible in the window, with some around them. A few rows are all drawn. */
export function useVisibleRows(box: RefObject<HTMLElement | null>, count: number, rowPx: number): VisibleRows {
  const [from, setFrom] = useState(0);
  const isMany = count > DRAWN_MAX;
  useEffect(() => {
    if (!isMany) return undefined;
    const look = (): void => {
      const top = box.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowPx) - AROUND);
      // Rounded to steps of ten rows, so that scrolling by one row does not draw anything again.
      setFrom(first - (first % 10));
    };
    look();
    addEventListener("scroll", look, { passive: true, capture: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
    };
  }, [isMany, box, rowPx]);
  if (!isMany) return { from: 0, to: count, before: 0, after: 0 };
  const start = Math.min(from, Math.max(0, count - 1));
  const to = Math.min(count, start + Math.ceil(innerHeight / rowPx) + AROUND * 2);
  return { from: start, to, before: start * rowPx, after: (count - to) * rowPx };
}
