import type { Frame, ReceivedEvent, Run, SignalBody, State } from "../contract/index.ts";
import { isTerminal } from "../core/event/index.ts";
import { endedBadly, RESULT_TIMEOUT, RunError } from "./run-error.ts";
import { type UiChunk, uiStream } from "./ui-stream.ts";
import type { WatchOptions } from "./watch.ts";

/** Calls of the client that a handle uses. */
export interface RunCalls {
  getRun(runId: string): Promise<Run>;
  getState(runId: string): Promise<State>;
  watchRun(runId: string, options?: WatchOptions): AsyncGenerator<Frame, void>;
  cancelRun(runId: string, reason?: string): Promise<Run>;
  readonly events: { signal(runId: string, name: string, body?: SignalBody): Promise<ReceivedEvent> };
}

export interface ResultOptions {
  /** Time limit in milliseconds. Default: no limit, until the run has ended. */
  readonly timeout?: number;
  /** Stops waiting and throws the reason of the signal. The run continues. */
  readonly signal?: AbortSignal;
}

/** Handle of one run, to wait for it, follow it and act on it. */
export class RunHandle<Outputs extends object> {
  readonly id: string;
  readonly #calls: RunCalls;
  /** The run as last seen. Null when it has not been read yet. */
  readonly #seen: Run | null;

  constructor(calls: RunCalls, id: string, seen: Run | null = null) {
    this.#calls = calls;
    this.id = id;
    this.#seen = seen;
  }

  /** Waits for the end of the run and returns its outputs. Throws `RunError` if the run did not complete, or not in time. */
  async result({ timeout, signal }: ResultOptions = {}): Promise<Outputs> {
    const seen = this.#seen;
    if (seen !== null && isTerminal(seen.status)) return this.#outcome(seen);
    const limit = timeout === undefined ? null : AbortSignal.timeout(timeout);
    const ends = [limit, signal].filter((one) => one !== null && one !== undefined);
    // The stream ends when the run ends. Its events are not needed here.
    for await (const _ of this.events(ends.length === 0 ? {} : { signal: AbortSignal.any(ends) }));
    signal?.throwIfAborted();
    const run = await this.#calls.getRun(this.id);
    if (!isTerminal(run.status)) throw new RunError(this.id, run.status, RESULT_TIMEOUT);
    return this.#outcome(run);
  }

  /** Yields every event in order, each exactly once, until the run has ended. Reconnects automatically. */
  events(options: WatchOptions = {}): AsyncGenerator<Frame, void> {
    return this.#calls.watchRun(this.id, options);
  }

  /** Returns the run as chunks of a UI message stream of the AI SDK, for `createUIMessageStreamResponse`. */
  toReadableStream(options: WatchOptions = {}): ReadableStream<UiChunk> {
    return uiStream(this.id, (signal) => this.events({ ...options, signal }));
  }

  get(): Promise<Run> {
    return this.#calls.getRun(this.id);
  }

  cancel(reason?: string): Promise<Run> {
    return this.#calls.cancelRun(this.id, reason);
  }

  /** Sends an event to this run, for a step that waits for it. */
  signal(name: string, body: SignalBody = {}): Promise<ReceivedEvent> {
    return this.#calls.events.signal(this.id, name, body);
  }

  async #outcome(run: Run): Promise<Outputs> {
    const { status, outputs } = run;
    // The outputs have the declared type, since the server has checked them.
    if (status === "completed") return (outputs ?? {}) as Outputs;
    throw endedBadly(run, await this.#calls.getState(this.id));
  }
}
