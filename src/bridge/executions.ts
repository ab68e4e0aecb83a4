import { createRedactor, type Redactor } from "../core/redaction/index.ts";
import type { Adapter, AdapterFiles, AdapterRequest, AdapterResult, HandedSecret } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { askAdapter } from "./answer.ts";
import { callbackOf } from "./callback.ts";
import { finderOf } from "./dispatch-secrets.ts";
import { type Archive, EndedResults } from "./ended-results.ts";
import { type ExecutionReport, OpenDispatch } from "./open-dispatch.ts";
import type { CallbackBody, ExecutionView } from "./wire.ts";

/** Records `at_most_once` dispatches before they start. */
export interface Begun {
  /** Throws when the record cannot be written. The dispatch must then not start. */
  record(dispatchId: string, at: number): void;
  /** Returns when a dispatch began, also before a restart of the Bridge. */
  startedAt(dispatchId: string): number | undefined;
}

export interface ExecutionsOptions {
  readonly adapters: readonly Adapter[];
  readonly clock: Clock;
  readonly redactor?: Redactor;
  /** Returns the file access of a dispatch, valid until it ends. Undefined when it has no files. */
  readonly filesOf?: (request: AdapterRequest, signal: AbortSignal) => AdapterFiles | undefined;
  /** Limits for results in memory: age, number and size. With 0 results none are kept, as in the engine's own process. */
  readonly endedKeepMs?: number;
  readonly endedMax?: number;
  readonly endedBytesMax?: number;
  readonly archive?: Archive;
  readonly journal?: Begun;
  /** Time that an aborted adapter has to report its cost. */
  readonly abortGraceMs?: number;
}

/** Data that an adapter receives in addition to the request of a dispatch. */
export interface Given {
  /** Returns the file access when files are available in this process. The signal is the one of the attempt. */
  readonly filesOf?: (signal: AbortSignal) => AdapterFiles;
  readonly secrets?: readonly HandedSecret[];
  /** The organisation, when a process works for several. Secrets of one organisation are not redacted in texts of another. */
  readonly orgId?: string;
}

/**
 * `duplicate`: the dispatch is known, so none was started. `lost`: it began before a restart and must not start again.
 * `unjournalled`: its record could not be written. `stopping`: this Bridge accepts no new dispatches.
 */
export type StartAnswer = "accepted" | "duplicate" | "lost" | "unknown_provider" | "unjournalled" | "stopping";

const ENDED_KEEP_MS = 3_600_000;
const ENDED_MAX = 10_000;
const ENDED_BYTES_MAX = 67_108_864;
const ABORT_GRACE_MS = 1_000;

/** The dispatches of this Bridge. Each runs once, ends at its deadline at the latest, and is reported once. */
export class Executions {
  readonly #adapters: ReadonlyMap<string, Adapter>;
  readonly #clock: Clock;
  readonly #redactor: Redactor;
  /** Redactors that include secrets from dispatches, by organisation. */
  readonly #learned = new Map<string, Redactor>();
  readonly #filesOf: ExecutionsOptions["filesOf"];
  readonly #archive: Archive | undefined;
  readonly #journal: Begun | undefined;
  readonly #abortGraceMs: number;
  readonly #open = new Map<string, OpenDispatch>();
  readonly #ended: EndedResults | null;
  #isStopping = false;
  #onIdle: (() => void) | null = null;

  constructor(options: ExecutionsOptions) {
    const { adapters, clock, endedKeepMs = ENDED_KEEP_MS, endedMax = ENDED_MAX } = options;
    this.#adapters = new Map(adapters.map((adapter) => [adapter.provider, adapter]));
    this.#clock = clock;
    this.#redactor = options.redactor ?? createRedactor([]);
    this.#filesOf = options.filesOf;
    this.#archive = options.archive;
    this.#journal = options.journal;
    this.#abortGraceMs = options.abortGraceMs ?? ABORT_GRACE_MS;
    const limits = { keepMs: endedKeepMs, max: endedMax, bytesMax: options.endedBytesMax ?? ENDED_BYTES_MAX };
    this.#ended = endedMax > 0 ? new EndedResults(limits) : null;
  }

  get adapters(): Iterable<Adapter> {
    return this.#adapters.values();
  }

  get providers(): readonly string[] {
    return [...this.#adapters.keys()];
  }

  get openCount(): number {
    return this.#open.size;
  }

  /** Number of open dispatches that are not aborted. */
  get wantedCount(): number {
    let count = 0;
    for (const open of this.#open.values()) if (!open.isAborted) count += 1;
    return count;
  }

  /** True while an adapter works on the dispatch, or was asked to stop and has not answered yet. */
  isOpen(dispatchId: string): boolean {
    return this.#open.has(dispatchId);
  }

  /** True when the dispatch is running, ended or lost, so that it will not be started. */
  isKnown(dispatchId: string): boolean {
    return this.#isRunOrEnded(dispatchId) || this.#journal?.startedAt(dispatchId) !== undefined;
  }

  start(request: AdapterRequest, report: ExecutionReport, given: Given = {}): StartAnswer {
    const { dispatchId } = request;
    if (this.#isRunOrEnded(dispatchId)) return "duplicate";
    if (this.#journal?.startedAt(dispatchId) !== undefined) return "lost";
    if (this.#isStopping) return "stopping";
    const adapter = this.#adapters.get(request.provider);
    if (adapter === undefined) return "unknown_provider";
    if (request.effects === "at_most_once" && this.#journal !== undefined) {
      try {
        this.#journal.record(dispatchId, this.#clock.now());
      } catch {
        return "unjournalled";
      }
    }
    this.#begin(new OpenDispatch(request, adapter, report, this.#clock, this.#redactorFor(given)), given);
    return "accepted";
  }

  /** Cancels a dispatch, best effort. Its end is still reported, with its cost. False when no such dispatch is open. */
  cancel(dispatchId: string, reason?: string): boolean {
    const open = this.#open.get(dispatchId);
    if (open === undefined) return false;
    this.#abort(open, "cancelled", reason ?? "The dispatch was cancelled.");
    return true;
  }

  /** Cancels every open dispatch of a run, in the same way. */
  cancelRun(runId: string): void {
    for (const { request } of this.#open.values()) if (request.runId === runId) this.cancel(request.dispatchId);
  }

  find(dispatchId: string): ExecutionView | undefined {
    const open = this.#open.get(dispatchId);
    if (open !== undefined) return { dispatchId, state: "running", startedAt: iso(open.startedAt) };
    const result = this.#resultOf(dispatchId);
    if (result !== undefined) return { dispatchId, state: "ended", startedAt: result.startedAt, result };
    const begunAt = this.#journal?.startedAt(dispatchId);
    return begunAt === undefined ? undefined : { dispatchId, state: "lost", startedAt: iso(begunAt) };
  }

  /** Returns the result when there is one. Undefined when no such dispatch is known, and later when the Bridge stops first. */
  whenEnded(dispatchId: string): Promise<CallbackBody | undefined> | undefined {
    const open = this.#open.get(dispatchId);
    if (open !== undefined) return new Promise((resolve) => open.waiting.push(resolve));
    const result = this.#resultOf(dispatchId);
    return result === undefined ? undefined : Promise.resolve(result);
  }

  /** Accepts no new dispatches, waits for open ones, then aborts the rest without a report, so that they can continue elsewhere. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#open.size > 0 && graceMs > 0) {
      await new Promise<void>((resolve) => {
        const stopTimer = this.#clock.after(graceMs, resolve);
        this.#onIdle = () => {
          stopTimer();
          resolve();
        };
      });
    }
    const abandoned = [...this.#open.values()];
    this.#open.clear();
    for (const open of abandoned) {
      open.abortAdapter("stopped");
      for (const notify of open.waiting) notify(undefined);
    }
  }

  /** Returns a redactor with all secrets received for this organisation so far, so that no later dispatch can reveal them. */
  #redactorFor({ secrets = [], orgId = "" }: Given): Redactor {
    const known = this.#learned.get(orgId) ?? this.#redactor;
    const values = secrets.flatMap((one) => ("value" in one ? [{ name: one.name, value: one.value }] : []));
    if (values.length === 0) return known;
    const learned = known.with(values);
    this.#learned.set(orgId, learned);
    return learned;
  }

  #begin(open: OpenDispatch, { filesOf, secrets = [] }: Given): void {
    const { request, adapter } = open;
    this.#open.set(request.dispatchId, open);
    const { timeoutMs } = request;
    if (timeoutMs !== null) {
      const reason = `The adapter "${adapter.provider}" did not answer within ${timeoutMs} ms.`;
      open.after(timeoutMs, () => this.#abort(open, "timeout", reason));
    }
    const hooks = open.hooks();
    const files = filesOf?.(hooks.signal) ?? this.#filesOf?.(request, hooks.signal);
    const more = {
      ...(files === undefined ? {} : { files }),
      ...(secrets.length === 0 ? {} : { secret: finderOf(secrets) }),
    };
    void askAdapter(adapter, request, { ...hooks, ...more }).then((answer) => this.#end(open, answer));
  }

  #abort(open: OpenDispatch, why: "timeout" | "cancelled", reason: string): void {
    if (open.isAborted) return;
    open.abort(why, reason);
    open.after(this.#abortGraceMs, () => this.#end(open, null));
  }

  #end(open: OpenDispatch, answer: AdapterResult | null): void {
    const { dispatchId } = open.request;
    // Only the first end counts. The answer of an adapter that was already given up is ignored.
    if (this.#open.get(dispatchId) !== open) return;
    const outcome = open.outcome(answer);
    this.#open.delete(dispatchId);
    const isRead = this.#ended !== null || open.waiting.length > 0;
    const body = isRead ? callbackOf(outcome, "async") : undefined;
    if (body !== undefined) {
      this.#ended?.add(body, outcome.completedAt);
      for (const notify of open.waiting) notify(body);
    }
    open.report.ended(outcome, body);
    if (this.#open.size === 0) this.#onIdle?.();
  }

  #isRunOrEnded(dispatchId: string): boolean {
    return (
      this.#open.has(dispatchId) || this.#ended?.has(dispatchId) === true || this.#archive?.has(dispatchId) === true
    );
  }

  #resultOf(dispatchId: string): CallbackBody | undefined {
    return this.#ended?.get(dispatchId) ?? this.#archive?.read(dispatchId);
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
