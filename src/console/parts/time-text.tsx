import type { JSX } from "react";
import { useTimeMode } from "../page/preferences.ts";
import { agoText, clockText, spanText } from "./figures.ts";
import { useNow } from "./ticker.ts";

/** An instant, as the person has chosen to read them; the other ways are in its title. */
export function TimeText({ at }: { readonly at: string | number | null | undefined }): JSX.Element {
  const mode = useTimeMode();
  const now = useNow();
  if (at === null || at === undefined) return <span className="muted">–</span>;
  const ms = typeof at === "number" ? at : Date.parse(at);
  const text = mode === "relative" ? agoText(ms, now) : clockText(ms, mode === "utc");
  return (
    <time
      className="num nowrap"
      dateTime={new Date(ms).toISOString()}
      title={`${clockText(ms, false)} · ${clockText(ms, true)}`}
    >
      {text}
    </time>
  );
}

interface OffsetProps {
  readonly at: number;
  /** The beginning of what it is part of. */
  readonly from: number;
}

/** An instant of a log. Relative ones count from its beginning: a column of "8m ago" would say nothing. */
export function OffsetText({ at, from }: OffsetProps): JSX.Element {
  const mode = useTimeMode();
  return (
    <time
      className="num nowrap"
      dateTime={new Date(at).toISOString()}
      title={`${clockText(at, false)} · ${clockText(at, true)}`}
    >
      {mode === "relative" ? `+${spanText(at - from)}` : clockText(at, mode === "utc")}
    </time>
  );
}

interface DurationProps {
  readonly from: string | number | null | undefined;
  /** Absent: it has not ended, and the duration grows. */
  readonly to?: string | number | null | undefined;
}

/** How long something took, or takes. */
export function Duration({ from, to }: DurationProps): JSX.Element {
  const now = useNow();
  if (from === null || from === undefined) return <span className="muted">–</span>;
  const start = typeof from === "number" ? from : Date.parse(from);
  const end = to === null || to === undefined ? now : typeof to === "number" ? to : Date.parse(to);
  return <span className="num nowrap">{spanText(end - start)}</span>;
}
