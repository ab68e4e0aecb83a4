/**
 * Follows the logs of all runs that have a stream. The table is the source: commits of this process are taken from
 * memory, those of other replicas are found by one query for all watched runs. Either way, the events of a run are
 * read and serialised once, however many streams it has.
 *
 * T1 The events kept of a run are contiguous and end at its head.
 * T2 A run without a stream costs nothing.
 * T3 There is no query per stream: only a stream behind the kept events reads the log, and streams at the same
 * position share one read.
 */
import { isTerminal, type RunEvent, type RunStatus } from "../core/event/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { RunRecord, RunStore } from "../store/index.ts";
import { EventMessage, LARGE_BYTES_MIN } from "./frame-text.ts";
import { runEndOf } from "./run-end.ts";

export interface TailOptions {
  readonly store: Pick<RunStore, "headsOf" | "readEvents">;
  readonly runtime: Pick<Runtime, "onCommitted">;
  readonly everyMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface Watcher {
  /** Called when this many bytes were added. */
  onAdded(bytes: number): void;
}

const KEPT_EVENTS_MAX = 512;
const KEPT_BYTES_MAX = 1_048_576;
const PAGE = 500;
const REPLAY_PAGE = 100;

/** A run that has a stream. */
export class WatchedRun {
  readonly run: RunRecord;
  readonly watchers = new Set<Watcher>();
  #head: number;
  #status: RunStatus;
  #kept: EventMessage[] = [];
  #keptBytes = 0;
  /** Event ids up to this one are known to exist. */
  knownHead: number;
  isReading = false;
  /** Reads of the log in progress for streams that are behind, by the event they start after. */
  readonly replays = new Map<number, Promise<readonly EventMessage[]>>();

  constructor(run: RunRecord) {
    this.run = run;
    this.#head = run.lastEventId;
    this.knownHead = run.lastEventId;
    this.#status = run.status;
  }

  get head(): number {
    return this.#head;
  }

  get isFinished(): boolean {
    return isTerminal(this.#status);
  }

  /** Returns the events after a cursor from memory; null when the cursor is before the kept events. */
  keptAfter(eventId: number): readonly EventMessage[] | null {
    const first = this.#head - this.#kept.length + 1;
    return eventId + 1 < first ? null : this.#kept.slice(eventId + 1 - first);
  }

  /** Appends the events that follow the head; others are ignored. */
  append(events: readonly RunEvent[]): void {
    let bytes = 0;
    for (const event of events) {
      if (event.eventId !== this.#head + 1) continue;
      const message = new EventMessage(event, this.run);
      this.#head = event.eventId;
      this.#status = statusAfter(event, this.#status);
      this.#kept.push(message);
      this.#keptBytes += message.bytes.byteLength;
      bytes += message.bytes.byteLength;
    }
    this.knownHead = Math.max(this.knownHead, this.#head);
    this.#trim();
    if (bytes > 0) for (const watcher of this.watchers) watcher.onAdded(bytes);
  }

  #trim(): void {
    let dropped = 0;
    while (this.#kept.length - dropped > KEPT_EVENTS_MAX || this.#keptBytes > KEPT_BYTES_MAX) {
      const oldest = this.#kept[dropped];
      if (oldest === undefined) break;
      this.#keptBytes -= oldest.bytes.byteLength;
      dropped += 1;
    }
    if (dropped > 0) this.#kept = this.#kept.slice(dropped);
  }
}

function statusAfter(event: RunEvent, status: RunStatus): RunStatus {
  const end = runEndOf(event);
  if (end !== null) return end;
  if (event.type === "run.started") return "running";
  if (event.type !== "run.status.changed") return status;
  // The event that ends the run follows, and watchers must receive it first.
  return isTerminal(event.payload.to) ? status : event.payload.to;
}

export class Tail {
  readonly #options: TailOptions;
  readonly #watched = new Map<string, WatchedRun>();
  #stopListening: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isAsking = false;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  get watchedCount(): number {
    return this.#watched.size;
  }

  /** Starts to follow a run for a stream; `run` must be as recent as the caller could read it. */
  watch(run: RunRecord, watcher: Watcher): WatchedRun {
    const watched = this.#watched.get(run.runId) ?? new WatchedRun(run);
    this.#watched.set(run.runId, watched);
    watched.watchers.add(watcher);
    this.#listen();
    this.#learn(watched, run.lastEventId);
    return watched;
  }

  unwatch(watched: WatchedRun, watcher: Watcher): void {
    watched.watchers.delete(watcher);
    if (watched.watchers.size > 0 || this.#watched.get(watched.run.runId) !== watched) return;
    this.#watched.delete(watched.run.runId);
    if (this.#watched.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Reads a page of the log after an event that is no longer kept. */
  readLog(watched: WatchedRun, after: number): Promise<readonly EventMessage[]> {
    const { run, replays } = watched;
    const underWay = replays.get(after);
    if (underWay !== undefined) return underWay;
    const reading = this.#options.store
      .readEvents(run.orgId, run.runId, after, REPLAY_PAGE)
      .then((events) => events.map((event) => new EventMessage(event, run)))
      .finally(() => replays.delete(after));
    replays.set(after, reading);
    return reading;
  }

  #listen(): void {
    if (this.#stopListening !== null) return;
    this.#stopListening = this.#options.runtime.onCommitted((runId, events) => this.#onCommitted(runId, events));
    this.#timer = setInterval(() => void this.#ask(), this.#options.everyMs);
    this.#timer.unref();
  }

  #onCommitted(runId: string, events: readonly RunEvent[]): void {
    const watched = this.#watched.get(runId);
    const last = events.at(-1);
    if (watched === undefined || last === undefined) return;
    // Values stored by reference are read from the store, so that every stream sends the same message.
    const isTaken = !watched.isReading && events.every((event) => !mayBeLarge(event));
    if (isTaken) watched.append(events);
    this.#learn(watched, last.eventId);
  }

  /** Queries the heads of all watched runs at once, whatever the number of streams. */
  async #ask(): Promise<void> {
    if (this.#isAsking || this.#watched.size === 0) return;
    this.#isAsking = true;
    try {
      for (const { runId, lastEventId } of await this.#options.store.headsOf([...this.#watched.keys()])) {
        const watched = this.#watched.get(runId);
        if (watched !== undefined) this.#learn(watched, lastEventId);
      }
    } catch (error) {
      this.#options.onTrouble("the heads of watched runs could not be read", error);
    } finally {
      this.#isAsking = false;
    }
  }

  #learn(watched: WatchedRun, lastEventId: number): void {
    watched.knownHead = Math.max(watched.knownHead, lastEventId);
    if (watched.knownHead > watched.head && !watched.isReading) void this.#read(watched);
  }

  async #read(watched: WatchedRun): Promise<void> {
    watched.isReading = true;
    const { orgId, runId } = watched.run;
    try {
      while (watched.head < watched.knownHead && watched.watchers.size > 0) {
        const events = await this.#options.store.readEvents(orgId, runId, watched.head, PAGE);
        const before = watched.head;
        watched.append(events);
        // The events are not visible yet or were deleted; the next query decides.
        if (watched.head === before) break;
      }
    } catch (error) {
      this.#options.onTrouble(`the events of run ${runId} could not be read`, error);
    } finally {
      watched.isReading = false;
    }
  }
}

/** The only events that contain texts of authors, models or people. */
const CARRIERS: ReadonlySet<string> = new Set<RunEvent["type"]>([
  "run.started",
  "run.finally",
  "run.completed",
  "run.failed",
  "node.expanded",
  "node.completed",
  "node.stream.delta",
  "node.log",
  "moderation.flagged",
  "event.emitted",
  "approval.requested",
  "approval.revised",
  "approval.resolved",
]);

function mayBeLarge({ type, payload }: RunEvent): boolean {
  // A code unit takes at most three bytes in UTF-8.
  return CARRIERS.has(type) && JSON.stringify(payload).length * 3 > LARGE_BYTES_MIN;
}
