import type { Usage, UsageQuery } from "../../../client/index.ts";
import { compareCodeUnits } from "../../../core/base/index.ts";

export type Measure = "cost" | "tokens" | "count";
export type Bucket = NonNullable<UsageQuery["bucket"]>;
type Row = Usage["data"][number];

/** The total usage of a group. */
export interface Spender {
  readonly group: string;
  readonly costMicros: number;
  readonly tokens: number;
  readonly count: number;
  /** Share of the total cost. */
  readonly share: number;
}

export interface Series {
  readonly groups: readonly string[];
  readonly bars: readonly {
    readonly key: string;
    readonly label: string;
    readonly parts: readonly { readonly group: string; readonly value: number }[];
  }[];
}

/** Maximum number of groups drawn separately. The rest is drawn as `others`. */
const GROUPS_MAX = 7;
export const OTHERS = "others";
export const UNGROUPED = "none";

export function measureOf(
  row: Pick<Row, "costMicros" | "inputTokens" | "outputTokens" | "count">,
  measure: Measure,
): number {
  if (measure === "cost") return row.costMicros;
  return measure === "tokens" ? row.inputTokens + row.outputTokens : row.count;
}

/** Returns a bar for every bucket, also for empty ones. The largest groups are separate, the rest is combined. */
export function seriesOf(usage: Usage, measure: Measure): Series {
  const sums = new Map<string, number>();
  for (const row of usage.data) {
    const group = nameOf(row);
    sums.set(group, (sums.get(group) ?? 0) + measureOf(row, measure));
  }
  const ranked = [...sums].sort(([a, x], [b, y]) => y - x || compareCodeUnits(a, b)).map(([group]) => group);
  const apart = new Set(ranked.slice(0, ranked.length > GROUPS_MAX + 1 ? GROUPS_MAX : GROUPS_MAX + 1));
  const bars = new Map(bucketsOf(usage).map((at) => [at, new Map<string, number>()]));
  for (const row of usage.data) {
    const at = Date.parse(row.bucketStart);
    const bar = bars.get(at) ?? new Map<string, number>();
    bars.set(at, bar);
    const group = apart.has(nameOf(row)) ? nameOf(row) : OTHERS;
    bar.set(group, (bar.get(group) ?? 0) + measureOf(row, measure));
  }
  const groups = [...ranked.filter((group) => apart.has(group)), ...(apart.size < ranked.length ? [OTHERS] : [])];
  return {
    groups,
    bars: [...bars]
      .sort(([left], [right]) => left - right)
      .map(([at, parts]) => ({
        key: String(at),
        label: labelOf(at, usage.bucket),
        parts: groups.flatMap((group) => (parts.has(group) ? [{ group, value: parts.get(group) ?? 0 }] : [])),
      })),
  };
}

export function spendersOf(usage: Usage): readonly Spender[] {
  const found = new Map<string, Spender>();
  const total = usage.totals.costMicros;
  for (const row of usage.data) {
    const group = nameOf(row);
    const before = found.get(group) ?? { group, costMicros: 0, tokens: 0, count: 0, share: 0 };
    const costMicros = before.costMicros + row.costMicros;
    found.set(group, {
      group,
      costMicros,
      tokens: before.tokens + row.inputTokens + row.outputTokens,
      count: before.count + row.count,
      share: total === 0 ? 0 : costMicros / total,
    });
  }
  return [...found.values()].sort(
    (a, b) => b.costMicros - a.costMicros || b.tokens - a.tokens || compareCodeUnits(a.group, b.group),
  );
}

function nameOf({ group }: Pick<Row, "group">): string {
  return group ?? UNGROUPED;
}

/** Returns the start times of all buckets of the time span, with the same boundaries as on the server. */
function bucketsOf({ bucket, since, until, data: [row] }: Usage): readonly number[] {
  if (row === undefined) return [];
  const [first, last] = [Date.parse(since), Date.parse(until)];
  const found: number[] = [];
  let at = Date.parse(row.bucketStart);
  while (at > first) at = shifted(at, bucket, -1);
  for (; at < last; at = shifted(at, bucket, 1)) found.push(at);
  return found;
}

const BUCKET_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

function shifted(at: number, bucket: Bucket, by: 1 | -1): number {
  if (bucket !== "month") return at + by * BUCKET_MS[bucket];
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by, 1);
}

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

function labelOf(at: number, bucket: Bucket): string {
  const text = new Date(at).toISOString();
  if (bucket === "hour") return `${text.slice(11, 13)}:00`;
  return bucket === "month" ? text.slice(0, 7) : DAY.format(at);
}

const COLUMNS = [
  "count",
  "inputTokens",
  "outputTokens",
  "thinkingTokens",
  "cachedTokens",
  "costMicros",
  "costUsd",
] as const;

/** Returns all rows as CSV. Text that a spreadsheet would read as a formula is escaped. */
export function csvOf(usage: Usage): string {
  const head = [
    "bucket_start",
    usage.by ?? "group",
    "attempts",
    "input_tokens",
    "output_tokens",
    "thinking_tokens",
    "cached_tokens",
    "cost_micros",
    "cost_usd",
  ];
  const rows = usage.data.map((row) => [row.bucketStart, row.group ?? "", ...COLUMNS.map((key) => row[key])]);
  return [head, ...rows].map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: string | number): string {
  const text = String(value);
  const plain = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
