import type { Run, Start } from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { type ResultOptions, type RunCalls, RunHandle } from "./run-handle.ts";
import { newIdempotencyKey, type StartOptions } from "./start-options.ts";
import type { AnyWorkflow, ArgsOf, GivenArgs, OutputsOf } from "./typed-workflow.ts";

/** How a run is started, beside its workflow and args. */
export interface LaunchOptions extends Omit<Start, "workflow" | "version" | "args"> {
  /** Default: a new one for every call, so that a start that is tried again happens once. */
  readonly idempotencyKey?: string;
}

interface StartCalls extends RunCalls {
  startRun(start: Start, options?: StartOptions): Promise<Run>;
}

/** As long as the server lets a start wait for the end of its run. */
const WAIT_SECONDS_MAX = 30;

/** Starts runs, and finds those that are there. */
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

  /** A run that was started before; whether there is one is known by the first call about it. */
  get<W extends AnyWorkflow = string>(runId: string): RunHandle<OutputsOf<W>> {
    return new RunHandle<OutputsOf<W>>(this.#calls, runId);
  }

  /** Starts a run and waits for its result: a short one takes a single request. */
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
    // Args of a typed workflow are JSON by its schema; a type with named fields only lacks the index signature.
    const given = args === undefined ? {} : { args: args as JsonObject };
    const run = await this.#calls.startRun({ ...more, ...named, ...given }, { idempotencyKey, wait });
    return new RunHandle<OutputsOf<W>>(this.#calls, run.id, run);
  }
}
