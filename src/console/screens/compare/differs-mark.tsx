import type { JSX } from "react";

/** Marks a difference with a sign and a word, because a colour alone is not accessible. */
export function DiffersMark(): JSX.Element {
  return (
    <span className="compare-mark" title="differs">
      <span aria-hidden="true">≠</span>
      <span className="hidden-text">differs</span>
    </span>
  );
}
