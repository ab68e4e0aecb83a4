import { compareCodeUnits } from "../core/base/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import type { RuntimeFigures } from "../driver/index.ts";

type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly values: Map<string, number>;
}

const ENDED = new Map<string, string>([
  ["run.completed", "completed"],
  ["run.failed", "failed"],
  ["run.cancelled", "cancelled"],
  ["run.timed_out", "timed_out"],
]);

/** Counts of this process, in the text format of Prometheus. No label ever holds an id. */
export class Metrics {
  readonly #series = new Map<string, Series>();

  count(name: string, help: string, labels: Labels = {}, by = 1): void {
    const { values } = this.#seriesOf(name, help, "counter");
    const key = labelText(labels);
    values.set(key, (values.get(key) ?? 0) + by);
  }

  set(name: string, help: string, value: number, labels: Labels = {}): void {
    this.#seriesOf(name, help, "gauge").values.set(labelText(labels), value);
  }

  /** What became true in this process, as figures. */
  countEvents(events: readonly RunEvent[]): void {
    for (const { type, payload } of events) {
      const status = ENDED.get(type);
      if (type === "run.started") this.count("sluice_runs_started_total", "Runs started.");
      else if (status !== undefined) this.count("sluice_runs_ended_total", "Runs ended, by status.", { status });
      else if (type === "gate.decided" && "disposition" in payload) {
        const gate = payload.gate ?? "all";
        const labels = { gate, disposition: payload.disposition };
        this.count("sluice_gate_decisions_total", "Verdicts, by gate and disposition.", labels);
      }
    }
  }

  countRequest(method: string, route: string, status: number, ms: number): void {
    const labels = { method, route, status: String(status) };
    this.count("sluice_http_requests_total", "HTTP requests, by route and status.", labels);
    const help = "Time until the head of the answer, in all.";
    this.count("sluice_http_request_seconds_total", help, { method, route }, ms / 1_000);
  }

  setFigures(figures: RuntimeFigures, streams: number): void {
    const total = (name: string, help: string, value: number): void => {
      const series = this.#seriesOf(name, help, "counter");
      series.values.set("", value);
    };
    total("sluice_commits_total", "Transactions committed.", figures.commits);
    total("sluice_committed_events_total", "Events committed.", figures.committedEvents);
    total("sluice_committed_runs_total", "Shares of runs in commits.", figures.committedRuns);
    total("sluice_commit_conflicts_total", "Commits another replica was faster with.", figures.conflicts);
    total("sluice_parked_runs_total", "Runs parked after a bug.", figures.parkedRuns);
    this.set("sluice_queued_inputs", "Inputs waiting to be committed.", figures.queuedInputs);
    this.set("sluice_cached_runs", "Runs whose state is in memory.", figures.cachedRuns);
    this.set("sluice_open_dispatches", "Dispatches nobody has reported on yet.", figures.openDispatches);
    this.set("sluice_sse_clients", "Open event streams.", streams);
  }

  print(): string {
    const lines: string[] = [];
    for (const [name, { help, type, values }] of [...this.#series].sort(([a], [b]) => compareCodeUnits(a, b))) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const [labels, value] of values) lines.push(`${name}${labels} ${value}`);
    }
    return `${lines.join("\n")}\n`;
  }

  #seriesOf(name: string, help: string, type: Series["type"]): Series {
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const series: Series = { help, type, values: new Map() };
    this.#series.set(name, series);
    return series;
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
