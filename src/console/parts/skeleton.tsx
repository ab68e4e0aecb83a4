import type { JSX } from "react";
import "./skeleton.css";

/** Placeholder in the size of content that is loading, so that the layout does not jump. */
export function Skeleton({
  lines = 3,
  height = 16,
}: {
  readonly lines?: number;
  readonly height?: number;
}): JSX.Element {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} style={{ height }} />
      ))}
    </div>
  );
}
