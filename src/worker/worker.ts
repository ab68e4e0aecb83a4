import { randomBytes } from "node:crypto";
import type { ClaimReply, SentResult, GivenWork } from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { Backoff } from "./backoff.ts";
import { Deliveries } from "./deliveries.ts";
import { Execution } from "./execution.ts";
import { type Functions, functionsByName, specOf } from "./function-list.ts";
import type { StepFunction } from "./step.ts";
import { ServerAway, WorkClient } from "./work-client.ts";
import { WorkerError } from "./worker-error.ts";

export interface WorkerOptions {
  /** Address of the server, such as http://127.0.0.1:7717. */
  readonly url: string;
  /** A key (slk_…) with the permissions registry:write and workflow:execute. */
  readonly key: string;
  /** Functions by name. A list of such maps is accepted, for functions from several files. */
  readonly functions: Functions | readonly Functions[];
  /** Maximum number of functions that run at the same time; default: 10. */
  readonly concurrency?: number;
  /** Time in milliseconds that functions have to end after the worker is stopped; default: 10,000. */
  readonly drainMs?: number;
  /** Whether SIGTERM and SIGINT stop the worker; default: true. */
  readonly signals?: boolean;
  /** Receives messages for people; default: they become process warnings. */
  readonly onNote?: (message: string) => void;
  readonly fetch?: typeof fetch;
}

export interface Worker {
  readonly id: string;
  /** Registers the functions and works until it is stopped. Rejects with a `WorkerError` when the worker can never work. */
  run(): Promise<void>;
  /** Takes no more work, and lets running functions end. Resolves when `run` does. */
  stop(): Promise<void>;
}

const PROTOCOL = 1;
const HEARTBEAT_MS = 5_000;
const DRAIN_MS = 10_000;
const CONCURRENCY = 10;
const CONCURRENCY_MAX = 500;
/** Time for which a stopping worker waits for the answer to its open poll. */
const LAST_POLL_MS = 1_000;

/** Creates a worker: a process that runs functions for a server. It connects outwards, and listens nowhere. */
export function createWorker(options: WorkerOptions): Worker {
  return new FunctionWorker(options);
}

class FunctionWorker implements Worker {
  readonly id = `wrk_${randomBytes(8).toString("hex")}`;
  readonly #functions: ReadonlyMap<string, StepFunction>;
  readonly #specs: ReadonlyMap<string, JsonObject>;
  readonly #client: WorkClient;
  readonly #concurrency: number;
  readonly #drainMs: number;
  readonly #hasSignals: boolean;
  readonly #note: (message: string) => void;
  readonly #running = new Map<string, Execution>();
  readonly #deliveries: Deliveries;
  /** Aborted when the worker stops: it takes no more work. */
  readonly #stopping = new AbortController();
  /** Aborted at the end: sending of results is given up, and heartbeats stop. */
  readonly #ended = new AbortController();
  /** Null while no poll is open. */
  #poll: AbortController | null = null;
  #freed: () => void = () => undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #beating: Promise<void> | null = null;
  #isAway = false;
  #fatal: WorkerError | null = null;
  #done: Promise<void> | null = null;

  constructor({ url, key, functions, concurrency = CONCURRENCY, drainMs = DRAIN_MS, ...rest }: WorkerOptions) {
    this.#functions = functionsByName(functions);
    this.#specs = new Map([...this.#functions].map(([name, fn]) => [name, specOf(name, fn)]));
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > CONCURRENCY_MAX) {
      throw new WorkerError("bad_concurrency", `concurrency must be a whole number from 1 to ${CONCURRENCY_MAX}.`);
    }
    this.#concurrency = concurrency;
    this.#drainMs = drainMs;
    this.#hasSignals = rest.signals ?? true;
    this.#note = rest.onNote ?? ((message) => process.emitWarning(message, "SluiceWorker"));
    requirePlace(url, key);
    this.#client = new WorkClient({ url, key, ...(rest.fetch === undefined ? {} : { fetch: rest.fetch }) });
    this.#deliveries = new Deliveries({
      send: (results) => this.#client.complete({ protocol: PROTOCOL, workerId: this.id, results }),
      backoff: () => this.#backoff(this.#ended.signal),
      onRefused: (error) => this.#note(`results were not taken: ${messageOf(error)}`),
    });
  }

  run(): Promise<void> {
    return (this.#done ??= this.#work());
  }

  stop(): Promise<void> {
    if (!this.#stopping.signal.aborted) {
      this.#stopping.abort();
      this.#freed();
      if (this.#poll !== null) void this.#leave();
      // The server answers the poll at once when a worker leaves. Another replica than the one with the poll may not know.
      setTimeout(() => this.#poll?.abort(), LAST_POLL_MS).unref();
    }
    return this.#done ?? Promise.resolve();
  }

  async #work(): Promise<void> {
    const stop = (): void => void this.stop();
    const signals = this.#hasSignals ? (["SIGTERM", "SIGINT"] as const) : [];
    for (const signal of signals) process.on(signal, stop);
    try {
      await this.#register();
      if (!this.#stopping.signal.aborted) this.#note(`ready as ${this.id}: ${[...this.#functions.keys()].join(", ")}`);
      await this.#ask();
      await this.#drain();
    } finally {
      clearTimeout(this.#heartbeat);
      this.#ended.abort();
      for (const signal of signals) process.off(signal, stop);
    }
    if (this.#fatal !== null) throw this.#fatal;
  }

  async #register(): Promise<void> {
    const backoff = this.#backoff(this.#stopping.signal);
    for (const [name, spec] of this.#specs) {
      await backoff
        .until(() => this.#client.register(name, spec))
        .catch((error: unknown) => this.#unlessStopped(error));
    }
  }

  /** Polls repeatedly for as much work as the worker has room for. */
  async #ask(): Promise<void> {
    const { signal } = this.#stopping;
    const backoff = this.#backoff(signal);
    while (!signal.aborted) {
      const free = this.#concurrency - this.#running.size;
      if (free <= 0) {
        await new Promise<void>((freed) => (this.#freed = freed));
        continue;
      }
      try {
        const given = await backoff.until(() => this.#claim(free));
        this.#isBack();
        this.#take(given);
      } catch (error) {
        this.#unlessStopped(error);
      }
    }
  }

  #claim(limit: number): Promise<ClaimReply> {
    this.#poll = new AbortController();
    const body = { protocol: PROTOCOL, workerId: this.id, functions: this.#names(), limit };
    return this.#client.claim(body, this.#poll.signal).finally(() => (this.#poll = null));
  }

  #take({ work, cancelled }: ClaimReply): void {
    // Work that arrives after the worker has left is given to others, so it must not be started here.
    if (this.#stopping.signal.aborted) return;
    for (const dispatchId of cancelled) this.#running.get(dispatchId)?.abandon("the result is not wanted any more");
    for (const one of work) this.#start(one);
  }

  #start(work: GivenWork): void {
    const fn = this.#functions.get(work.function);
    if (fn === undefined || this.#running.has(work.dispatchId)) return;
    const execution = new Execution(work, fn);
    this.#running.set(work.dispatchId, execution);
    this.#scheduleHeartbeat();
    void execution.run(() => this.#beat()).then((result) => this.#report(execution, result));
  }

  async #report(execution: Execution, result: SentResult): Promise<void> {
    if (execution.isWanted) await this.#deliveries.deliver(result);
    this.#running.delete(result.dispatchId);
    this.#freed();
  }

  #scheduleHeartbeat(): void {
    if (this.#heartbeat !== undefined) return;
    this.#heartbeat = setTimeout(() => {
      this.#heartbeat = undefined;
      if (this.#running.size === 0 || this.#ended.signal.aborted) return;
      void this.#beat().finally(() => this.#scheduleHeartbeat());
    }, HEARTBEAT_MS);
  }

  /** Sends one heartbeat at a time. Callers during a heartbeat wait for that one. */
  #beat(): Promise<void> {
    return (this.#beating ??= this.#beatNow().finally(() => (this.#beating = null)));
  }

  async #beatNow(): Promise<void> {
    const held = [...this.#running.keys()];
    if (held.length === 0) return;
    try {
      const { lost } = await this.#client.heartbeat(this.#sign(held));
      for (const dispatchId of lost) this.#running.get(dispatchId)?.abandon("the work is not this worker's any more");
    } catch (error) {
      if (error instanceof ServerAway) this.#wasAway(error);
      else this.#unlessStopped(error);
    }
  }

  async #leave(): Promise<void> {
    try {
      await this.#client.heartbeat({ ...this.#sign([...this.#running.keys()]), leaving: true });
    } catch (error) {
      this.#note(`could not sign off: ${messageOf(error)}`);
    }
  }

  /** Waits for functions to end. Work that does not end in time is given to others, unless it may be done only once. */
  async #drain(): Promise<void> {
    const deadline = Date.now() + this.#drainMs;
    while (this.#running.size > 0 && Date.now() < deadline) {
      await Promise.race([new Promise<void>((freed) => (this.#freed = freed)), pause(deadline - Date.now())]);
    }
    for (const [dispatchId, execution] of this.#running) {
      execution.abandon("the worker stops");
      if (!execution.isOnce) this.#running.delete(dispatchId);
    }
    await this.#leave();
  }

  #sign(held: readonly string[]) {
    return { protocol: PROTOCOL, workerId: this.id, functions: this.#names(), held };
  }

  #names(): readonly string[] {
    return [...this.#functions.keys()];
  }

  #backoff(signal: AbortSignal): Backoff {
    return new Backoff(signal, (error) => this.#wasAway(error));
  }

  #wasAway({ message }: ServerAway): void {
    if (!this.#isAway && !this.#stopping.signal.aborted) this.#note(`${message}; trying again`);
    this.#isAway = true;
  }

  #isBack(): void {
    if (this.#isAway) this.#note("the server is back");
    this.#isAway = false;
  }

  /** Stops the worker on an error that another try would not fix. */
  #unlessStopped(error: unknown): void {
    if (this.#stopping.signal.aborted && error instanceof ServerAway) return;
    this.#fatal ??= error instanceof WorkerError ? error : new WorkerError("worker_bug", messageOf(error));
    void this.stop();
  }
}

/** Also checks callers without types, whose variable may be unset. */
function requirePlace(url: string | undefined, key: string | undefined): void {
  if (url === undefined || url === "") throw new WorkerError("no_url", "Which server? Give createWorker a url.");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new WorkerError("bad_url", `"${url}" is no address of a server. Write it out: http://127.0.0.1:7717.`);
  }
  if (key === undefined || key === "")
    throw new WorkerError("no_key", "With which key? Give createWorker a key (slk_…).");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, Math.max(0, ms)).unref());
}
