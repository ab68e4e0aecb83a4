import { compareCodeUnits } from "../core/base/index.ts";
import {
  addFigures,
  figuresOf,
  NO_FIGURES,
  type RunDocument,
  TREND_BUCKETS,
  type TrendBucket,
  type TrendFigures,
  type TrendGroup,
  trendStart,
} from "../core/search/index.ts";
import type { TrendRow } from "./search-store.ts";
import type { RunRecord } from "./store.ts";

/** The contribution of a run to trends. It is kept with the run, so that it can be subtracted when the run ends again. */
export interface TrendShare {
  readonly createdAt: number;
  /** The groups in which the run is counted. The group for all runs is empty. */
  readonly groups: readonly (readonly [by: TrendGroup | "", group: string])[];
  readonly figures: TrendFigures;
}

type Ended = Pick<RunRecord, "status" | "startedAt" | "endedAt" | "createdAt" | "costMicros" | "workflow" | "version">;

/** Returns the share of a run; null while the run is open. */
export function shareOf(run: Ended, { agents, models, waitingMs }: RunDocument): TrendShare | null {
  const { status, startedAt, endedAt, createdAt, costMicros, workflow, version } = run;
  if (endedAt === null) return null;
  const durationMs = Math.max(0, endedAt - (startedAt ?? createdAt));
  const figures = figuresOf({ status, durationMs, waitingMs, costMicros });
  if (figures === null) return null;
  const groups: TrendShare["groups"] = [
    ["", ""],
    ["workflow", workflow],
    ...(version === null ? [] : [["version", `${workflow}@${version}`] as const]),
    ...[...agents].map((agent) => ["agent", agent] as const),
    ...[...models].map((model) => ["model", model] as const),
  ];
  return { createdAt, groups, figures };
}

/** One row of trends. */
export interface TrendKey {
  readonly bucket: TrendBucket;
  readonly by: TrendGroup | "";
  readonly group: string;
  readonly start: number;
}

/** Changes to trends by shares, collected per row. */
export class TrendChanges {
  readonly #rows = new Map<string, { readonly key: TrendKey; figures: TrendFigures; less: TrendFigures }>();

  add({ createdAt, groups, figures }: TrendShare, times: 1 | -1 = 1): void {
    for (const bucket of TREND_BUCKETS) {
      const start = trendStart(bucket, createdAt);
      for (const [by, group] of groups) {
        const id = JSON.stringify([bucket, by, group, start]);
        const row = this.#rows.get(id) ?? { key: { bucket, by, group, start }, figures: NO_FIGURES, less: NO_FIGURES };
        if (times === 1) row.figures = addFigures(row.figures, figures);
        else row.less = addFigures(row.less, figures);
        this.#rows.set(id, row);
      }
    }
  }

  /** Returns, for each changed row, a function from its old figures to its new ones. */
  rows(): readonly { readonly key: TrendKey; readonly change: (before: TrendFigures) => TrendFigures }[] {
    return [...this.#rows.values()].map(({ key, figures, less }) => ({
      key,
      change: (before) => addFigures(addFigures(before, figures), less, -1),
    }));
  }
}

/** Compares by time, then by group. */
export function inOrder(left: TrendRow, right: TrendRow): number {
  return left.bucketStart - right.bucketStart || compareCodeUnits(left.group ?? "", right.group ?? "");
}
