import type { JSX } from "react";
import { spanText } from "../../../parts/figures.ts";
import { useShownNow } from "../../../run/nodes-page.ts";

/** Remaining time until something happens automatically. */
export function Countdown({ until }: { readonly until: number }): JSX.Element {
  const left = until - useShownNow();
  return <span className="countdown num"> {left > 0 ? `in ${spanText(left)}` : "any moment"}</span>;
}
