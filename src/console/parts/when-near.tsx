import { type JSX, type ReactNode, useEffect, useRef, useState } from "react";

interface WhenNearProps {
  /** As high as it is likely to become, in pixels. */
  readonly height: number;
  readonly children: () => ReactNode;
}

/** How far outside of the sight something is made ready. */
const NEAR = "600px";

/** Draws a part of something long once it comes near, and leaves room for it until then. */
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
