import type { Trends, TrendsQuery } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { formatTable } from "./table.ts";
import { oneLine } from "./terminal-text.ts";

export interface TrendOptions extends TrendsQuery {
  readonly json?: boolean;
}

/** Prints how runs have ended over time. */
export async function showTrends(io: Io, api: Api, options: TrendOptions): Promise<number> {
  const { json, bucket, by, group, since, until } = options;
  const trends = await api.search.trends({
    ...(bucket === undefined ? {} : { bucket }),
    ...(by === undefined ? {} : { by }),
    ...(group === undefined ? {} : { group }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  });
  if (json === true) printJson(io, trends);
  else printTrends(io, trends);
  return EXIT.fine;
}

function printTrends(io: Io, { bucket, by, since, until, data }: Trends): void {
  if (data.length === 0) {
    io.err.write(`no run that was created between ${minute(since)} and ${minute(until)} has ended\n`);
    return;
  }
  const group = (text: string): readonly string[] => (by === null ? [] : [text]);
  const rows = data.map((point) => [
    bucket === "hour" ? minute(point.bucketStart) : point.bucketStart.slice(0, 10),
    ...group(oneLine(point.group ?? "–")),
    String(point.runs),
    point.successRate === null ? "–" : `${Math.round(point.successRate * 100)} %`,
    point.p50Ms === null ? "–" : formatDuration(point.p50Ms),
    point.p95Ms === null ? "–" : formatDuration(point.p95Ms),
    formatDuration(point.waitingMs),
    point.costMicros > 0 ? formatCost(point.costMicros) : "–",
  ]);
  const head = [bucket.toUpperCase(), ...group((by ?? "").toUpperCase())];
  io.out.write(formatTable([[...head, "RUNS", "SUCCESS", "P50", "P95", "WAITING", "COST"], ...rows]));
}

function minute(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}
