import type { Clock, Stop } from "../../clock/index.ts";
import { isTerminal, type RunEvent } from "../../core/event/index.ts";
import {
  attemptSpanId,
  type EndedSpan,
  type Resource,
  type RunIdentity,
  RunTracer,
  type SpanAddress,
} from "../../core/trace/index.ts";
import type { Runtime } from "../../driver/index.ts";
import type { LoadedRun, RunRecord, RunStore } from "../../store/index.ts";
import { EventRanges } from "./event-ranges.ts";
import { Sender, type SenderFigures, type SenderOptions } from "./sender.ts";

export interface TelemetryOptions extends Omit<SenderOptions, keyof typeof DEFAULTS> {
  readonly store: Pick<RunStore, "loadRuns" | "getRun">;
  readonly runtime: Pick<Runtime, "onCommitted">;
  readonly resource: Resource;
  readonly clock: Clock;
  readonly limits?: Partial<typeof DEFAULTS>;
}

interface TelemetryFigures extends SenderFigures {
  /** Runs that were not sent because too many were running. */
  readonly droppedRuns: number;
}

export interface Telemetry {
  /** Sends the spans that have ended so far, and waits until they were accepted or dropped. */
  flush(): Promise<void>;
  /** Does the same within two seconds, then sends nothing more. Call it when nothing is committed any more. */
  stop(): Promise<void>;
  figures(): TelemetryFigures;
}

const DEFAULTS = {
  spansPerRequest: 256,
  queuedSpansMax: 20_000,
  watchedRunsMax: 20_000,
  /** How long ended runs are gathered before they are read, several at a time. */
  lingerMs: 1_000,
  /** How often open runs send the spans that have ended. */
  longRunMs: 30_000,
  stopMs: 2_000,
};
const RUNS_PER_READING = 8;
const STORE_AWAY_MS = 5_000;

/** A run of which this process has committed events. */
interface Watched {
  /** Events committed here; the spans they ended are not sent yet. */
  fresh: EventRanges;
  /** Events committed here; the spans they ended were sent from here. */
  readonly sent: EventRanges;
  isEnded: boolean;
}

/**
 * Sends runs to a collector. It only listens to commits and reads the log when there is something to send, so no
 * commit waits for it. While a run is open, the replica that committed the end of a span sends that span. The replica
 * that ends the run sends every span that it has not sent itself, so that no span is missing when another replica has
 * died.
 */
export function startTelemetry({ limits, ...options }: TelemetryOptions): Telemetry {
  const exporter = new Exporter({ ...options, ...DEFAULTS, ...limits });
  return { flush: () => exporter.flush(), stop: () => exporter.stop(), figures: () => exporter.figures };
}

type ExporterOptions = Omit<TelemetryOptions, "limits"> & typeof DEFAULTS;

class Exporter {
  readonly #options: ExporterOptions;
  readonly #sender: Sender;
  readonly #stopListening: () => void;
  readonly #watched = new Map<string, Watched>();
  /** Runs to be read, oldest first. */
  readonly #due = new Set<string>();
  #droppedRuns = 0;
  #reading: Promise<void> | null = null;
  #stopLinger: Stop | null = null;
  #stopRounds: Stop;

  constructor(options: ExporterOptions) {
    this.#options = options;
    this.#sender = new Sender(options);
    this.#stopListening = options.runtime.onCommitted((runId, events) => this.#note(runId, events));
    this.#stopRounds = this.#goRound();
  }

  get figures(): TelemetryFigures {
    return { ...this.#sender.figures, droppedRuns: this.#droppedRuns };
  }

  async flush(): Promise<void> {
    this.#markFresh();
    await this.#read();
    await this.#sender.drain();
  }

  async stop(): Promise<void> {
    this.#stopListening();
    this.#stopRounds();
    this.#stopLinger?.();
    this.#sender.stopRetrying();
    const { clock, stopMs } = this.#options;
    await new Promise<void>((resolve) => {
      const stopWaiting = clock.after(stopMs, resolve);
      const done = (): void => {
        stopWaiting();
        resolve();
      };
      this.flush().then(done, done);
    });
    const { queuedSpans } = this.#sender.figures;
    this.#sender.close();
    if (queuedSpans > 0) {
      const error = new Error(`${queuedSpans} were left`);
      this.#options.onTrouble("not all spans were sent before the end", error);
    }
  }

  #note(runId: string, events: readonly RunEvent[]): void {
    const [first, last] = [events[0], events.at(-1)];
    if (first === undefined || last === undefined) return;
    const watched = this.#watch(runId);
    watched.fresh.add(first.eventId, last.eventId);
    if (!events.some(({ type }) => ENDING.has(type))) return;
    watched.isEnded = true;
    this.#due.add(runId);
    this.#stopLinger ??= this.#options.clock.after(this.#options.lingerMs, () => void this.#read());
  }

  #watch(runId: string): Watched {
    const known = this.#watched.get(runId);
    if (known !== undefined) return known;
    const [oldest] = this.#watched.keys();
    if (oldest !== undefined && this.#watched.size >= this.#options.watchedRunsMax) {
      this.#watched.delete(oldest);
      this.#due.delete(oldest);
      this.#droppedRuns += 1;
    }
    const watched: Watched = { fresh: new EventRanges(), sent: new EventRanges(), isEnded: false };
    this.#watched.set(runId, watched);
    return watched;
  }

  #goRound(): Stop {
    return this.#options.clock.after(this.#options.longRunMs, () => {
      this.#markFresh();
      void this.#read();
      this.#stopRounds = this.#goRound();
    });
  }

  #markFresh(): void {
    for (const [runId, { fresh }] of this.#watched) if (!fresh.isEmpty) this.#due.add(runId);
  }

  async #read(): Promise<void> {
    this.#stopLinger?.();
    this.#stopLinger = null;
    // A call during a reading gets a new reading that begins after it.
    if (this.#reading !== null) await this.#reading;
    this.#reading ??= this.#readDue().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #readDue(): Promise<void> {
    while (this.#due.size > 0) {
      const runIds = [...this.#due].slice(0, RUNS_PER_READING);
      for (const runId of runIds) this.#due.delete(runId);
      try {
        const loaded = await this.#options.store.loadRuns(runIds);
        for (const each of loaded) await this.#exportRun(each);
        const found = new Set(loaded.map(({ run }) => run.runId));
        for (const runId of runIds) if (!found.has(runId)) this.#watched.delete(runId);
      } catch (error) {
        for (const runId of runIds) if (this.#watched.has(runId)) this.#due.add(runId);
        this.#options.onTrouble("the runs to be traced cannot be read", error);
        this.#stopLinger ??= this.#options.clock.after(STORE_AWAY_MS, () => void this.#read());
        return;
      }
    }
  }

  async #exportRun({ run, events }: LoadedRun): Promise<void> {
    const watched = this.#watched.get(run.runId);
    if (watched === undefined) return;
    const identity = await this.#identityOf(run);
    const { fresh, sent, isEnded } = watched;
    watched.fresh = new EventRanges();
    watched.isEnded = false;
    const since = isEnded ? beforeLastEnd(events) : Infinity;
    const isDue = ({ endEventId }: EndedSpan): boolean =>
      !sent.has(endEventId) && (endEventId > since || fresh.has(endEventId));
    this.#sender.push(endedSpans(identity, events).filter(isDue));
    sent.addAll(fresh);
    if (isEnded) sent.add(1, events.at(-1)?.eventId ?? 1);
    if (isTerminal(run.status) && watched.fresh.isEmpty) this.#watched.delete(run.runId);
  }

  async #identityOf({ runId, traceId, rootSpanId, orgId, ...run }: RunRecord): Promise<RunIdentity> {
    const { parentSpanId, parentRunId, parentNode, parentAttempt } = run;
    const caller = parentSpanId === null ? {} : { parent: { traceId, spanId: parentSpanId } };
    const identity = { runId, traceId, rootSpanId, orgId, ...caller };
    if (parentRunId === null || parentNode === null || parentAttempt === null) return identity;
    const above = await this.#options.store.getRun(orgId, parentRunId);
    if (above === undefined) return identity;
    const spanId = attemptSpanId(`${parentRunId}/${parentNode}/${parentAttempt}`);
    const parent: SpanAddress = { traceId: above.traceId, spanId };
    return { ...identity, parent };
  }
}

const ENDING: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.timed_out",
]);

function endedSpans(identity: RunIdentity, events: readonly RunEvent[]): readonly EndedSpan[] {
  const tracer = new RunTracer(identity);
  for (const event of events) tracer.record(event);
  return tracer.takeEnded();
}

/** A reopened run was already sent up to its earlier end, by the replica that ended it then. */
function beforeLastEnd(events: readonly RunEvent[]): number {
  return events.filter(({ type }) => ENDING.has(type)).at(-2)?.eventId ?? 0;
}
