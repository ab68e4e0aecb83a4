import { type RefObject, useLayoutEffect, useState } from "react";

/** Returns the width of an element, so that a drawing inside needs no scaling and its text keeps its size. */
export function useWidth(element: RefObject<HTMLElement | null>, otherwise: number): number {
  const [width, setWidth] = useState(otherwise);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return undefined;
    const look = (): void => setWidth(target.clientWidth || otherwise);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element, otherwise]);
  return width;
}
