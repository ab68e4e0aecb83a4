import { type RefObject, useLayoutEffect, useState } from "react";

/** How wide an element is, so that a drawing in it needs no scaling and its text keeps its size. */
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
