import type { JSX } from "react";
import "./skeleton.css";

/** Stands where something will be, at its size, so that nothing jumps. */
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
