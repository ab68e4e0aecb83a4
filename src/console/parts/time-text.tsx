import type { JSX } from "react";
import { useTimeMode } from "../page/preferences.ts";
import { agoText, clockText, spanText } from "./figures.ts";
import { useNow } from "./ticker.ts";

/** Shows a moment in the format chosen by the person. The title contains the other formats. */
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
  /** Moment from which a relative time is counted. */
  readonly from: number;
}

/** Shows a moment of a log. Relative times count from its start, since a column of "8m ago" would not be useful. */
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
  /** Absent while the duration is still growing. */
  readonly to?: string | number | null | undefined;
}

/** Shows how long something took, or has taken until now. */
export function Duration({ from, to }: DurationProps): JSX.Element {
  const now = useNow();
  if (from === null || from === undefined) return <span className="muted">–</span>;
  const start = typeof from === "number" ? from : Date.parse(from);
  const end = to === null || to === undefined ? now : typeof to === "number" ? to : Date.parse(to);
  return <span className="num nowrap">{spanText(end - start)}</span>;
}
