import type { JSX } from "react";
import { lookOf, type AnyStatus } from "./status.tsx";
import "./chart.css";

interface Beat {
  readonly key: string;
  readonly status: AnyStatus;
  /** Height of the bar, from 0 to 1. */
  readonly size: number;
}

/** The last runs as bars, oldest first. The colour shows the end of the run, the height its duration or cost. */
export function Sparkline({
  beats,
  label,
  slots = 20,
}: {
  readonly beats: readonly Beat[];
  readonly label: string;
  readonly slots?: number;
}): JSX.Element {
  const shown = beats.slice(-slots);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${slots * 6} 24`}
      width={slots * 6}
      height={24}
      role="img"
      aria-label={label}
    >
      {shown.map(({ key, status, size }, index) => {
        const height = 4 + Math.round(Math.max(0, Math.min(1, size)) * 20);
        const { tone, label: word } = lookOf(status);
        return (
          <rect key={key} className={`bar-${tone}`} x={index * 6} y={24 - height} width={4} height={height} rx={1}>
            <title>{word}</title>
          </rect>
        );
      })}
    </svg>
  );
}
