import { type JSX, useId, useRef } from "react";
import { useWidth } from "./use-width.ts";
import "./chart.css";

export interface Bar {
  readonly key: string;
  /** Text under the bar. */
  readonly label: string;
  readonly parts: readonly { readonly group: string; readonly value: number }[];
}

interface BarChartProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  /** Groups in the order of their colours. */
  readonly groups: readonly string[];
  readonly valueText: (value: number) => string;
  readonly height?: number;
}

const WIDTH = 720;
/** Width reserved for the name of a bar. */
const NAME = 62;
const LEFT = 56;
const BOTTOM = 22;
const GROUPS_MAX = 8;

/** Stacked bars over time, with the same figures as a table for screen readers. */
export function BarChart({ label, bars, groups, valueText, height = 200 }: BarChartProps): JSX.Element {
  const id = useId();
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box, WIDTH);
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const top = niceTop(Math.max(...sums, 0));
  const room = height - BOTTOM - 8;
  const slot = (width - LEFT) / Math.max(bars.length, 1);
  const toneOf = (group: string): number => Math.min(groups.indexOf(group), GROUPS_MAX - 1);
  const every = Math.max(1, Math.ceil(NAME / slot));
  return (
    <figure className="chart" ref={box} aria-labelledby={id}>
      <figcaption id={id} className="hidden-text">
        {label}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} height={height} role="img" aria-label={label}>
        {[0, 0.5, 1].map((share) => (
          <g key={share} transform={`translate(0 ${8 + room * (1 - share)})`}>
            <line x1={LEFT} x2={width} className="chart-line" />
            <text x={LEFT - 8} y={4} textAnchor="end" className="chart-text">
              {valueText(top * share)}
            </text>
          </g>
        ))}
        {bars.map((bar, index) => {
          let y = 8 + room;
          return (
            <g key={bar.key} transform={`translate(${LEFT + index * slot} 0)`}>
              {bar.parts.map(({ group, value }) => {
                const size = (value / top) * room;
                y -= size;
                return (
                  <rect
                    key={group}
                    className={`series-${toneOf(group)}`}
                    x={slot * 0.15}
                    y={y}
                    width={slot * 0.7}
                    height={size}
                  >
                    <title>{`${bar.label} · ${group}: ${valueText(value)}`}</title>
                  </rect>
                );
              })}
              {index % every === 0 && (
                <text x={slot / 2} y={height - 6} textAnchor="middle" className="chart-text">
                  {bar.label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <ul className="chart-legend">
        {groups.map((group, index) => (
          <li key={group}>
            <svg width={10} height={10} aria-hidden="true">
              <rect width={10} height={10} rx={2} className={`series-${Math.min(index, GROUPS_MAX - 1)}`} />
            </svg>
            {group}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Rounds up to the next number of the form 1, 2 or 5 × 10ⁿ. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * size >= value) ?? 10) * size;
}
