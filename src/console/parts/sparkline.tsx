import type { JSX } from "react";
import { lookOf, type AnyStatus } from "./status.tsx";
import "./chart.css";

interface Beat {
  readonly key: string;
  readonly status: AnyStatus;
  /** How high, from 0 to 1. */
  readonly size: number;
}

/** The last runs as bars, oldest first: colour for how they ended, height for how long or dear they were. */
export function Sparkline({ beats, label, slots = 20 }: { readonly beats: readonly Beat[]; readonly label: string; readonly slots?: number }): JSX.Element {
  const shown = beats.slice(-slots);
  return (
    <svg className="sparkline" viewBox={`0 0 ${slots * 6} 24`} width={slots * 6} height={24} role="img" aria-label={label}>
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

/** A line through values, for trends; nothing but its shape is meant to be read. */
export function TrendLine({ values, label, width = 120, height = 28 }: { readonly values: readonly number[]; readonly label: string; readonly width?: number; readonly height?: number }): JSX.Element {
  const top = Math.max(...values, 0) || 1;
  const step = values.length > 1 ? width / (values.length - 1) : width;
  const points = values.map((value, index) => `${(index * step).toFixed(1)},${(height - 2 - (value / top) * (height - 4)).toFixed(1)}`);
  return (
    <svg className="trend" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <polyline points={points.join(" ")} fill="none" stroke="var(--accent)" strokeWidth={1.5} />
    </svg>
  );
}
