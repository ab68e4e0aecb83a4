import type { JSX } from "react";

/** A sign and a word, because a colour alone is not enough. */
export function DiffersMark(): JSX.Element {
  return (
    <span className="compare-mark" title="differs">
      <span aria-hidden="true">≠</span>
      <span className="hidden-text">differs</span>
    </span>
  );
}
