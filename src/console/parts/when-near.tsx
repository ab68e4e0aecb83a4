import { type JSX, type ReactNode, useEffect, useRef, useState } from "react";

interface WhenNearProps {
  /** Expected height in pixels. */
  readonly height: number;
  readonly children: () => ReactNode;
}

/** Distance from the visible area at which content is drawn. */
const NEAR = "600px";

/** Draws a part of long content when it comes near the visible area. Until then, empty space takes its place. */
export function WhenNear({ height, children }: WhenNearProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null || isNear) return undefined;
    const root = element.closest(".tab-panel, .dialog-body");
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { root, rootMargin: NEAR },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isNear]);
  return (
    <div ref={box} {...(isNear ? {} : { style: { minHeight: height }, "data-waiting": true })}>
      {isNear && children()}
    </div>
  );
}
