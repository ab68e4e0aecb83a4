import type { JSX } from "react";
import { dollars, exactDollars } from "./figures.ts";

/** Shows an amount in millionths of a dollar. */
export function Money({ micros }: { readonly micros: number | null | undefined }): JSX.Element {
  if (micros === null || micros === undefined) return <span className="muted">–</span>;
  return (
    <span className="num nowrap" title={exactDollars(micros)}>
      {dollars(micros)}
    </span>
  );
}
