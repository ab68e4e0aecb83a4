import type { JSX } from "react";
import type { TrendPoint } from "../../../client/index.ts";
import { Link } from "../../page/router.tsx";
import { Panel } from "../../parts/panel.tsx";
import { runsAddress } from "./trend-figures.ts";

interface TrendChartProps {
  readonly title: string;
  readonly points: readonly TrendPoint[];
  /** Null: there is nothing to draw in that time. */
  readonly valueOf: (point: TrendPoint) => number | null;
  readonly text: (value: number) => string;
  /** The end of the scale; default: the highest value. */
  readonly top?: number;
  /** Low values are the bad ones. */
  readonly isLowBad?: boolean;
}

const LOW = 0.9;

/** A figure over time; every bar opens the runs it counts. */
export function TrendChart({ title, points, valueOf, text, top, isLowBad = false }: TrendChartProps): JSX.Element {
  const values = points.map(valueOf);
  const most = top ?? Math.max(...values.map((value) => value ?? 0), 0);
  const newest = values.findLast((value) => value !== null) ?? null;
  return (
    <Panel title={title} actions={<span className="num">{newest === null ? "–" : text(newest)}</span>}>
      <ol className="trend-bars" aria-label={title}>
        {points.map((point, index) => {
          const value = values[index] ?? null;
          const share = value === null || most === 0 ? 0 : value / most;
          const words = `${point.bucketStart.slice(0, 16).replace("T", " ")}: ${value === null ? "no runs" : text(value)}`;
          return (
            <li key={point.bucketStart}>
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
    </Panel>
  );
}
