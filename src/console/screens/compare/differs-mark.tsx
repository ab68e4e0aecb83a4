import type { JSX } from "react";

/** A sign and a word: the colour around it does not say it alone. */
export function DiffersMark(): JSX.Element {
  return (
    <span className="compare-mark" title="differs">
      <span aria-hidden="true">≠</span>
      <span className="hidden-text">differs</span>
    </span>
  );
}
