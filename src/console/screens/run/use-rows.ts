import { type RefObject, useEffect, useRef, useState } from "react";

export interface Rows {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly from: number;
  readonly to: number;
  /** Heights of the empty areas that replace the rows that are not drawn. */
  readonly before: number;
  readonly after: number;
  readonly scrollTo: (row: number) => void;
}

const AROUND = 8;

/**
 * Returns which rows of a scrolling box are visible. All rows have the same height. With `isFollowed` the box scrolls
 * to its end as it grows, unless the person has scrolled away from the end.
 */
export function useRows(count: number, rowPx: number, isFollowed = false): Rows {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 400 });
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = (): void => {
      // Rounded to steps of four rows, so that most scrolling causes no drawing.
      const top = Math.floor(element.scrollTop / (rowPx * 4)) * rowPx * 4;
      setSight((before) =>
        before.top === top && before.height === element.clientHeight ? before : { top, height: element.clientHeight },
      );
    };
    const scroll = (): void => {
      isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - rowPx;
      look();
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", scroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", scroll);
    };
  }, [rowPx]);
  useEffect(() => {
    if (isFollowed && isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [isFollowed, count]);
  useEffect(() => {
    if (isFollowed) isAtEnd.current = true;
  }, [isFollowed]);
  const from = Math.max(0, Math.min(count, Math.floor(sight.top / rowPx) - AROUND));
  const to = Math.min(count, Math.ceil((sight.top + sight.height) / rowPx) + AROUND + 4);
  return {
    box,
    from,
    to,
    before: from * rowPx,
    after: (count - to) * rowPx,
    scrollTo: (row) => {
      const element = box.current;
      if (element === null || row < 0) return;
      const isAbove = row * rowPx < element.scrollTop;
      const isBelow = (row + 1) * rowPx > element.scrollTop + element.clientHeight;
      if (isAbove || isBelow) element.scrollTop = Math.max(0, row * rowPx - element.clientHeight / 2);
    },
  };
}
