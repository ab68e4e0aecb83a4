import { type RefObject, useEffect, useState } from "react";
import type { Size } from "./viewport.ts";

/** Returns the current size of an element. 0 by 0 before it is measured. */
export function usePaneSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const target = element.current;
    if (target === null) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: target.clientWidth, height: target.clientHeight }));
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
