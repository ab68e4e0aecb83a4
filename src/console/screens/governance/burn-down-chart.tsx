import { type JSX, useRef } from "react";
import { clockText, dollars } from "../../parts/figures.ts";
import { useWidth } from "../../parts/use-width.ts";
import type { BurnDown } from "./burn-down.ts";
import "../../parts/chart.css";

const WIDTH = 420;
const HEIGHT = 150;
const LEFT = 52;
const TOP = 8;
const BOTTOM = 22;

/** A chart of the amount left in an envelope over the period, with a forecast at the present rate. */
export function BurnDownChart({ state }: { readonly state: BurnDown }): JSX.Element {
  const { start, end, ceilingMicros, points, ahead, projectedMicros, spentMicros } = state;
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, WIDTH);
  const least = Math.min(0, ...points.map(({ leftMicros }) => leftMicros));
  const room = HEIGHT - TOP - BOTTOM;
  const x = (at: number): number => LEFT + ((at - start) / (end - start)) * (width - LEFT - 8);
  const y = (left: number): number => TOP + ((ceilingMicros - left) / Math.max(ceilingMicros - least, 1)) * room;
  const steps = points.flatMap(({ at, leftMicros }, index) => {
    const before = points[index - 1]?.leftMicros ?? leftMicros;
    return [`${x(at)},${y(before)}`, `${x(at)},${y(leftMicros)}`];
  });
  const last = points.at(-1);
  const label = `Left of ${dollars(ceilingMicros)}: ${dollars(ceilingMicros - spentMicros)}; ${dollars(projectedMicros)} would be spent by the end.`;
  return (
    <div className="governance-burn" ref={box}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} width="100%" height={HEIGHT} role="img" aria-label={label}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              className="chart-line"
              x1={LEFT}
              x2={width - 8}
              y1={y(ceilingMicros * share)}
              y2={y(ceilingMicros * share)}
            />
            <text className="chart-text" x={LEFT - 8} y={y(ceilingMicros * share) + 4} textAnchor="end">
              {dollars(ceilingMicros * share)}
            </text>
          </g>
        ))}
        <polyline className={`governance-burn-line is-${state.state}`} points={steps.join(" ")} />
        {last !== undefined && ahead !== null && (
          <line
            className="governance-burn-ahead"
            x1={x(last.at)}
            y1={y(last.leftMicros)}
            x2={x(ahead.at)}
            y2={y(ahead.leftMicros)}
          />
        )}
        <text className="chart-text" x={LEFT} y={HEIGHT - 6}>
          {clockText(start, true).slice(5, 16)}
        </text>
        <text className="chart-text" x={width - 8} y={HEIGHT - 6} textAnchor="end">
          {clockText(end, true).slice(5, 16)} UTC
        </text>
      </svg>
    </div>
  );
}
