import type { JSX } from "react";
import type { TrendPoint } from "../../../client/index.ts";
import { Link } from "../../page/router.tsx";
import { Panel } from "../../parts/panel.tsx";
import { runsAddress, type TrendSlot } from "./trend-figures.ts";

interface TrendChartProps {
  readonly title: string;
  readonly slots: readonly TrendSlot[];
  /** Value of a bar. Null when the bucket has no value. */
  readonly valueOf: (point: TrendPoint) => number | null;
  readonly text: (value: number) => string;
  /** Upper end of the scale. Default: the highest value. */
  readonly top?: number;
  /** Whether low values are bad, for example for a success rate. */
  readonly isLowBad?: boolean;
}

const LOW = 0.9;

/** A chart of one figure over time. Each bar links to the runs it counts. */
export function TrendChart({ title, slots, valueOf, text, top, isLowBad = false }: TrendChartProps): JSX.Element {
  const values = slots.map(({ point }) => (point === null ? null : valueOf(point)));
  const most = top ?? Math.max(...values.map((value) => value ?? 0), 0);
  const newest = values.findLast((value) => value !== null) ?? null;
  const latest = (
    <span>
      <span className="trend-latest">latest</span>{" "}
      <strong className="num">{newest === null ? "–" : text(newest)}</strong>
    </span>
  );
  return (
    <Panel title={title} actions={latest}>
      <div className="trend-scale num" aria-hidden="true">
        <span>{text(most)}</span>
      </div>
      <ol className="trend-bars" aria-label={title}>
        {slots.map(({ point, at, label }, index) => {
          if (point === null) return <li key={at} aria-hidden="true" />;
          const value = values[index] ?? null;
          const share = value === null || most === 0 ? 0 : value / most;
          const words = `${label}: ${value === null ? "no runs" : text(value)}`;
          return (
            <li key={at}>
              <Link to={runsAddress(point.filter)} title={`${words}, ${point.runs} runs`} aria-label={words}>
                <span
                  className={isLowBad && share < LOW ? "is-low" : ""}
                  style={{ height: `${Math.max(value === null ? 0 : 2, share * 100)}%` }}
                />
              </Link>
            </li>
          );
        })}
      </ol>
      <div className="trend-axis num" aria-hidden="true">
        <span>{slots[0]?.label}</span>
        <span>{slots.at(-1)?.label}</span>
      </div>
    </Panel>
  );
}
