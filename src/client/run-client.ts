import type { Run, Start } from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { type ResultOptions, type RunCalls, RunHandle } from "./run-handle.ts";
import { newIdempotencyKey, type StartOptions } from "./start-options.ts";
import type { AnyWorkflow, ArgsOf, GivenArgs, OutputsOf } from "./typed-workflow.ts";

/** Options for starting a run, apart from workflow, version and args. */
export interface LaunchOptions extends Omit<Start, "workflow" | "version" | "args"> {
  /** Default: a new key for every call, so that a repeated request starts only one run. */
  readonly idempotencyKey?: string;
}

interface StartCalls extends RunCalls {
  startRun(start: Start, options?: StartOptions): Promise<Run>;
}

/** Longest time for which the server delays the answer to a start until the run ends. */
const WAIT_SECONDS_MAX = 30;

/** Starts runs, and returns handles of existing runs. */
export class RunClient {
  readonly #calls: StartCalls;

  constructor(calls: StartCalls) {
    this.#calls = calls;
  }

  async start<W extends AnyWorkflow>(
    workflow: W,
    ...[args, options = {}]: GivenArgs<W, [options?: LaunchOptions]>
  ): Promise<RunHandle<OutputsOf<W>>> {
    return this.#start(workflow, args, options, 0);
  }

  /** Returns a handle of an existing run. Whether the run exists is checked by the first call on the handle. */
  get<W extends AnyWorkflow = string>(runId: string): RunHandle<OutputsOf<W>> {
    return new RunHandle<OutputsOf<W>>(this.#calls, runId);
  }

  /** Starts a run and waits for its result. A short run needs only one request. */
  async run<W extends AnyWorkflow>(
    workflow: W,
    ...[args, { timeout, signal, ...options } = {}]: GivenArgs<W, [options?: LaunchOptions & ResultOptions]>
  ): Promise<OutputsOf<W>> {
    const began = performance.now();
    const within = timeout === undefined ? WAIT_SECONDS_MAX : Math.min(WAIT_SECONDS_MAX, Math.floor(timeout / 1_000));
    const handle = await this.#start(workflow, args, options, signal === undefined ? within : 0);
    const left = timeout === undefined ? {} : { timeout: Math.max(0, timeout - (performance.now() - began)) };
    return handle.result({ ...left, ...(signal === undefined ? {} : { signal }) });
  }

  async #start<W extends AnyWorkflow>(
    workflow: W,
    args: ArgsOf<W> | undefined,
    { idempotencyKey = newIdempotencyKey(), ...more }: LaunchOptions,
    wait: number,
  ): Promise<RunHandle<OutputsOf<W>>> {
    const named: Pick<Start, "workflow" | "version"> =
      typeof workflow === "string"
        ? { workflow }
        : { workflow: workflow.name, ...(workflow.version === undefined ? {} : { version: workflow.version }) };
    // The schema guarantees that args of a typed workflow are JSON. Their type only lacks the index signature.
    const given = args === undefined ? {} : { args: args as JsonObject };
    const run = await this.#calls.startRun({ ...more, ...named, ...given }, { idempotencyKey, wait });
    return new RunHandle<OutputsOf<W>>(this.#calls, run.id, run);
  }
}
