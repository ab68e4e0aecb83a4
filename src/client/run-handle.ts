import type { Frame, ReceivedEvent, Run, SignalBody, State } from "../contract/index.ts";
import { isTerminal } from "../core/event/index.ts";
import { endedBadly, RESULT_TIMEOUT, RunError } from "./run-error.ts";
import { type UiChunk, uiStream } from "./ui-stream.ts";
import type { WatchOptions } from "./watch.ts";

/** What a handle asks of the client. */
export interface RunCalls {
  getRun(runId: string): Promise<Run>;
  getState(runId: string): Promise<State>;
  watchRun(runId: string, options?: WatchOptions): AsyncGenerator<Frame, void>;
  cancelRun(runId: string, reason?: string): Promise<Run>;
  readonly events: { signal(runId: string, name: string, body?: SignalBody): Promise<ReceivedEvent> };
}

export interface ResultOptions {
  /** Milliseconds; default: until the run has ended, however long that takes. */
  readonly timeout?: number;
  /** Ends the waiting with the reason of the signal; the run continues. */
  readonly signal?: AbortSignal;
}

/** One run, to be waited for, followed and acted on. */
export class RunHandle<Outputs extends object> {
  readonly id: string;
  readonly #calls: RunCalls;
  /** As it was last seen, when that is known. */
  readonly #seen: Run | null;

  constructor(calls: RunCalls, id: string, seen: Run | null = null) {
    this.#calls = calls;
    this.id = id;
    this.#seen = seen;
  }

  /** What the run came to. Throws `RunError` when it has not completed, or not in time. */
  async result({ timeout, signal }: ResultOptions = {}): Promise<Outputs> {
    const seen = this.#seen;
    if (seen !== null && isTerminal(seen.status)) return this.#outcome(seen);
    const limit = timeout === undefined ? null : AbortSignal.timeout(timeout);
    const ends = [limit, signal].filter((one) => one !== null && one !== undefined);
    // The stream ends with the run; what happened in between is not needed here.
    for await (const _ of this.events(ends.length === 0 ? {} : { signal: AbortSignal.any(ends) }));
    signal?.throwIfAborted();
    const run = await this.#calls.getRun(this.id);
    if (!isTerminal(run.status)) throw new RunError(this.id, run.status, RESULT_TIMEOUT);
    return this.#outcome(run);
  }

  /** Every event in order, each exactly once, until the run has ended; reconnects by itself. */
  events(options: WatchOptions = {}): AsyncGenerator<Frame, void> {
    return this.#calls.watchRun(this.id, options);
  }

  /** The run as chunks of a UI message stream of the AI SDK, for `createUIMessageStreamResponse`. */
  toReadableStream(options: WatchOptions = {}): ReadableStream<UiChunk> {
    return uiStream(this.id, (signal) => this.events({ ...options, signal }));
  }

  get(): Promise<Run> {
    return this.#calls.getRun(this.id);
  }

  cancel(reason?: string): Promise<Run> {
    return this.#calls.cancelRun(this.id, reason);
  }

  /** An event to this run, for a step that waits for it. */
  signal(name: string, body: SignalBody = {}): Promise<ReceivedEvent> {
    return this.#calls.events.signal(this.id, name, body);
  }

  async #outcome(run: Run): Promise<Outputs> {
    const { status, outputs } = run;
    // What a run has put out is as its workflow declares: the server has checked it.
    if (status === "completed") return (outputs ?? {}) as Outputs;
    throw endedBadly(run, await this.#calls.getState(this.id));
  }
}
