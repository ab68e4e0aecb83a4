import { compareCodeUnits } from "../core/base/index.ts";

export type Labels = Readonly<Record<string, string>>;

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

interface Series {
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly values: Map<string, { readonly labels: Labels; value: number; readonly histogram: Histogram | null }>;
  readonly buckets: readonly number[];
}

/** Maximum number of label sets per name. Further sets are counted together, so that no caller can make the list grow. */
export const LABEL_SETS_MAX = 1_000;
/** A lower limit for histograms, because each set is printed as many lines. */
export const HISTOGRAM_SETS_MAX = 100;
export const LABEL_LENGTH_MAX = 100;
const OTHER = "other";

/** Named metrics, printed in the text format of Prometheus. */
export class MetricSeries {
  readonly #series = new Map<string, Series>();

  count(name: string, help: string, labels: Labels = {}, by = 1): void {
    this.#valueOf(name, help, "counter", labels).value += by;
  }

  /** Sets a gauge, or a counter whose value is stored elsewhere. */
  set(name: string, help: string, value: number, type: "counter" | "gauge" = "gauge", labels: Labels = {}): void {
    this.#valueOf(name, help, type, labels).value = value;
  }

  observe(name: string, help: string, buckets: readonly number[], value: number, labels: Labels = {}): void {
    const { histogram } = this.#valueOf(name, help, "histogram", labels, buckets);
    if (histogram === null || !Number.isFinite(value)) return;
    const place = buckets.findIndex((limit) => value <= limit);
    histogram.counts[place === -1 ? buckets.length : place] =
      (histogram.counts[place === -1 ? buckets.length : place] ?? 0) + 1;
    histogram.sum += value;
    histogram.count += 1;
  }

  print(): string {
    const lines: string[] = [];
    for (const [name, series] of [...this.#series].sort(([a], [b]) => compareCodeUnits(a, b))) {
      lines.push(`# HELP ${name} ${escapedHelp(series.help)}`, `# TYPE ${name} ${series.type}`);
      for (const { labels, value, histogram } of series.values.values()) {
        if (histogram === null) lines.push(`${name}${labelText(labels)} ${value}`);
        else lines.push(...printHistogram(name, labels, series.buckets, histogram));
      }
    }
    return `${lines.join("\n")}\n`;
  }

  #valueOf(name: string, help: string, type: Series["type"], labels: Labels, buckets: readonly number[] = []) {
    const series = this.#series.get(name) ?? { help, type, values: new Map(), buckets };
    this.#series.set(name, series);
    const own = labelText(labels);
    const counter = series.values.get(own);
    if (counter !== undefined) return counter;
    const setsMax = type === "histogram" ? HISTOGRAM_SETS_MAX : LABEL_SETS_MAX;
    const isFull = series.values.size >= setsMax;
    const counted = isFull ? Object.fromEntries(Object.keys(labels).map((label) => [label, OTHER])) : labels;
    const key = isFull ? labelText(counted) : own;
    const known = series.values.get(key);
    if (known !== undefined) return known;
    const histogram =
      type === "histogram" ? { counts: Array<number>(buckets.length + 1).fill(0), sum: 0, count: 0 } : null;
    const value = { labels: counted, value: 0, histogram };
    series.values.set(key, value);
    return value;
  }
}

function printHistogram(name: string, labels: Labels, buckets: readonly number[], histogram: Histogram): string[] {
  let below = 0;
  const lines = [...buckets.map(String), "+Inf"].map((limit, index) => {
    below += histogram.counts[index] ?? 0;
    return `${name}_bucket${labelText({ ...labels, le: limit })} ${below}`;
  });
  const written = labelText(labels);
  return [...lines, `${name}_sum${written} ${histogram.sum}`, `${name}_count${written} ${histogram.count}`];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value.slice(0, LABEL_LENGTH_MAX))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const TO_ESCAPE = /[\\"\n]/;

function escaped(value: string): string {
  if (!TO_ESCAPE.test(value)) return value;
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function escapedHelp(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
