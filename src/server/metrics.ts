import type { SealingFigures } from "../audit/index.ts";
import { type EventOf, isSettling, type RunEvent, settledStatusOf, type SettlingEvent } from "../core/event/index.ts";
import type { RuntimeFigures } from "../driver/index.ts";
import type { GovernanceFigures } from "../governance/index.ts";
import type { Backlog } from "../store/index.ts";
import type { SpanFigures } from "./config.ts";
import { MetricSeries } from "./metric-series.ts";
import { runEndOf } from "./run-end.ts";

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];
/** Buckets that OpenTelemetry recommends for tokens of a call. */
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
const MICROS_PER_USD = 1_000_000;
/** Maximum number of nodes whose start time is remembered; another replica may have seen the end of some of them. */
export const BEGINNINGS_MAX = 20_000;
export const BACKLOG_MS = 5_000;

/** Metrics that have the same value in every process. */
export const INSTALLATION_FIGURES: ReadonlySet<string> = new Set([
  "sluice_open_runs",
  "sluice_waiting_runs",
  "sluice_open_attempts",
  "sluice_pending_approvals",
  "sluice_pending_deliveries",
  "sluice_queue_lag_seconds",
]);

interface Beginning {
  queuedAt: number | null;
  startedAt: number | null;
}

/** Metrics of this process; the backlog of the whole installation is read on request. No label contains an id. */
export class Metrics {
  readonly #series = new MetricSeries();
  readonly #beginnings = new Map<string, Beginning>();
  #backlogAt = -Infinity;

  /** Counts events that this process has committed. */
  countEvents(runId: string, events: readonly RunEvent[]): void {
    for (const event of events) {
      const end = runEndOf(event);
      // A block is part of a run and is not counted as one.
      if ("block" in event.payload && event.type !== "child.started") continue;
      if (end !== null) this.#series.count("sluice_runs_total", "Runs that ended, by status.", { status: end });
      else if (isSettling(event)) this.#countSettled(runId, event);
      else this.#countEvent(runId, event);
    }
  }

  countAlert(on: string): void {
    this.#series.count("sluice_alerts_fired_total", "Alerts that fired, by what they are set for.", { on });
  }

  countRequest(method: string, route: string, status: number, ms: number): void {
    const labels = { method, route, status: String(status) };
    this.#series.count("sluice_http_requests_total", "HTTP requests, by route and status.", labels);
    const help = "Time until the head of the answer, in all.";
    this.#series.count("sluice_http_request_seconds_total", help, { method, route }, ms / 1_000);
  }

  setFigures(figures: RuntimeFigures, streams: number): void {
    this.#total("sluice_commits_total", "Transactions committed.", figures.commits);
    this.#total("sluice_committed_events_total", "Events committed.", figures.committedEvents);
    this.#total("sluice_committed_runs_total", "Shares of runs in commits.", figures.committedRuns);
    this.#total("sluice_commit_conflicts_total", "Commits another replica was faster with.", figures.conflicts);
    this.#total("sluice_parked_runs_total", "Runs parked after a bug.", figures.parkedRuns);
    this.#gauge("sluice_queued_inputs", "Inputs waiting to be committed.", figures.queuedInputs);
    this.#gauge("sluice_cached_runs", "Runs whose state is in memory.", figures.cachedRuns);
    this.#gauge("sluice_cached_bytes", "Memory taken by the states of runs.", figures.cachedBytes);
    this.#gauge(
      "sluice_store_outage",
      "1 while nothing can be written to the database.",
      figures.outage === null ? 0 : 1,
    );
    const help = "Dispatches of this process that have no report yet.";
    this.#gauge("sluice_open_dispatches", help, figures.openDispatches);
    this.#gauge("sluice_sse_clients", "Open event streams.", streams);
  }

  setClockSkew(skewMs: number): void {
    const help = "How far the clock of this replica is ahead of the database's.";
    this.#gauge("sluice_clock_skew_seconds", help, skewMs / 1_000);
  }

  setGovernance({ waitingNodes, recounts, fixed, unexplained }: GovernanceFigures): void {
    this.#gauge("sluice_waiting_nodes", "Nodes known here that wait at a gate.", waitingNodes);
    this.#total("sluice_limit_recounts_total", "Times the counters of limits were counted anew.", recounts);
    this.#total("sluice_counters_corrected_total", "Counters that were wrong and were corrected.", fixed);
    const help = "Envelopes with more spent than usage explains.";
    this.#gauge("sluice_unexplained_envelopes", help, unexplained);
  }

  setSealing({ sealedRecords, checkpoints, lagMs, lastCheckpointAt }: SealingFigures): void {
    this.#total("sluice_audit_sealed_records_total", "Audit records sealed.", sealedRecords);
    this.#total("sluice_audit_checkpoints_total", "Checkpoints of the audit signed.", checkpoints);
    const help = "How long the oldest entry of the last sealing had waited.";
    this.#gauge("sluice_audit_sealing_lag_seconds", help, lagMs / 1_000);
    if (lastCheckpointAt === null) return;
    const about = "When the last checkpoint was signed, in epoch seconds.";
    this.#gauge("sluice_audit_last_checkpoint_timestamp_seconds", about, lastCheckpointAt / 1_000);
  }

  setSpans({ queuedSpans, sentSpans, droppedSpans, failedRequests }: SpanFigures): void {
    this.#total("sluice_spans_sent_total", "Spans the collector has taken.", sentSpans);
    this.#total("sluice_spans_dropped_total", "Spans the collector never got.", droppedSpans);
    this.#total("sluice_span_requests_failed_total", "Requests the collector did not take.", failedRequests);
    this.#gauge("sluice_queued_spans", "Spans waiting to be sent.", queuedSpans);
  }

  /** Reads the backlog at most once in an interval, because metrics can be requested often and without a key. */
  async refreshBacklog(read: () => Promise<Backlog>, now: number): Promise<void> {
    if (now >= this.#backlogAt && now < this.#backlogAt + BACKLOG_MS) return;
    this.#backlogAt = now;
    const backlog = await read().catch(() => null);
    if (backlog !== null) this.#setBacklog(backlog);
    const help = "Whether the database answered when it was last asked.";
    this.#gauge("sluice_database_up", help, backlog === null ? 0 : 1);
  }

  #setBacklog(backlog: Backlog): void {
    const { openRuns, waitingRuns, openAttempts, pendingApprovals, pendingDeliveries, lagMs } = backlog;
    this.#gauge("sluice_open_runs", "Runs of the installation that have not ended.", openRuns);
    const waiting = "Open runs of the installation that wait, by what they wait for.";
    for (const [what, count] of Object.entries(waitingRuns)) {
      this.#series.set("sluice_waiting_runs", waiting, count, "gauge", { waiting_for: what });
    }
    this.#gauge("sluice_open_attempts", "Attempts of the installation that have not ended.", openAttempts);
    this.#gauge("sluice_pending_approvals", "Approvals of the installation that wait for an answer.", pendingApprovals);
    this.#gauge("sluice_pending_deliveries", "Webhook deliveries of the installation to be made.", pendingDeliveries);
    this.#gauge("sluice_queue_lag_seconds", "How long what is most overdue has been due.", lagMs / 1_000);
  }

  #total(name: string, help: string, value: number): void {
    this.#series.set(name, help, value, "counter");
  }

  #gauge(name: string, help: string, value: number): void {
    this.#series.set(name, help, value);
  }

  print(): string {
    return this.#series.print();
  }

  #countEvent(runId: string, event: RunEvent): void {
    switch (event.type) {
      case "run.started":
        return this.#series.count("sluice_runs_started_total", "Runs started.");
      case "gate.decided": {
        const { gate = "all", disposition } = event.payload;
        const help = "Verdicts, by gate and disposition.";
        return this.#series.count("sluice_gate_decisions_total", help, { gate, disposition });
      }
      case "node.queued":
        return this.#begin(runId, event.payload.nodeId, (beginning) => {
          beginning.queuedAt ??= event.at;
        });
      case "node.started":
        return this.#countStart(runId, event);
      case "node.retried":
        this.#begin(runId, event.payload.nodeId, (beginning) => {
          beginning.queuedAt = null;
        });
        return this.#series.count("sluice_node_retries_total", "Retries, by cause.", { cause: event.payload.cause });
      case "approval.requested":
      case "approval.resolved": {
        const status = event.type === "approval.requested" ? "requested" : event.payload.status;
        return this.#series.count("sluice_approvals_total", "Approvals asked for and settled.", { status });
      }
      case "cost.recorded":
        return this.#countCost(event);
      default:
    }
  }

  #countStart(runId: string, { at, payload }: EventOf<"node.started">): void {
    this.#begin(runId, payload.nodeId, (beginning) => {
      const { queuedAt } = beginning;
      const help = "From being ready to being admitted, slots and rate limits included.";
      if (queuedAt !== null) this.#series.observe("sluice_node_wait_seconds", help, SECONDS, (at - queuedAt) / 1_000);
      beginning.queuedAt = null;
      beginning.startedAt ??= at;
    });
  }

  #countSettled(runId: string, { type, at, payload }: SettlingEvent): void {
    const status = settledStatusOf(type);
    this.#series.count("sluice_nodes_total", "Nodes that settled, by status.", { status });
    const key = `${runId}/${payload.nodeId}`;
    const startedAt = this.#beginnings.get(key)?.startedAt ?? null;
    this.#beginnings.delete(key);
    const help = "From a node's first attempt to its end, retries and waits between them included.";
    if (startedAt === null) return;
    this.#series.observe("sluice_node_duration_seconds", help, SECONDS, (at - startedAt) / 1_000, { status });
  }

  #countCost({ payload }: EventOf<"cost.recorded">): void {
    const { costMicros, tokens, model, childRunId } = payload;
    // The cost of a child run is counted in the child.
    if (childRunId !== undefined) return;
    const help = "Money spent, in US dollars.";
    if (costMicros > 0) this.#series.count("sluice_cost_usd_total", help, {}, costMicros / MICROS_PER_USD);
    for (const [type, used] of [
      ["input", tokens.inputTokens],
      ["output", tokens.outputTokens],
    ] as const) {
      if (used === 0) continue;
      const labels = { gen_ai_token_type: type, gen_ai_response_model: model ?? "unknown" };
      this.#series.observe("sluice_gen_ai_client_token_usage", "Tokens used by an attempt.", TOKENS, used, labels);
    }
  }

  #begin(runId: string, nodeId: string, change: (beginning: Beginning) => void): void {
    const key = `${runId}/${nodeId}`;
    const known = this.#beginnings.get(key);
    const beginning = known ?? { queuedAt: null, startedAt: null };
    change(beginning);
    if (known !== undefined) return;
    const [oldest] = this.#beginnings.size >= BEGINNINGS_MAX ? this.#beginnings.keys() : [];
    if (oldest !== undefined) this.#beginnings.delete(oldest);
    this.#beginnings.set(key, beginning);
  }
}
