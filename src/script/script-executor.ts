import type { Clock } from "../clock/index.ts";
import { SCRIPT_LIMITS, type ScriptLimits, type ScriptOutcome } from "./outcome.ts";
import { type ScriptCall, ScriptThread } from "./script-thread.ts";

export interface ScriptExecutorOptions {
  readonly clock: Clock;
  readonly limits?: ScriptLimits;
  /** How long a thread may take before it is killed and the script runs again. */
  readonly patienceMs?: number;
}

interface Entry {
  readonly call: ScriptCall;
  readonly resolve: (outcome: ScriptOutcome | null) => void;
  runs: number;
}

const PATIENCE_MS = 10_000;
/** A script that made its thread die this many times does not run again. */
const RUNS_MAX = 3;

/**
 * Runs scripts one after the other in a separate thread.
 *
 * - The limits of a script are counted inside the interpreter, so that it always ends the same way.
 * - Time only protects against work the interpreter cannot count (one long call of a built-in function): the thread is
 * killed, a new one is started, and the script runs again, at most three times.
 * - When a thread dies, only the run of the script it was executing is lost.
 */
export class ScriptExecutor {
  readonly #clock: Clock;
  readonly #limits: ScriptLimits;
  readonly #patienceMs: number;
  readonly #waiting: Entry[] = [];
  #thread: ScriptThread | null = null;
  #busy: { readonly entry: Entry; readonly stopTimer: () => void } | null = null;

  constructor({ clock, limits = SCRIPT_LIMITS, patienceMs = PATIENCE_MS }: ScriptExecutorOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#patienceMs = patienceMs;
  }

  /** Resolves with null when the script was cancelled. */
  run(call: ScriptCall, signal?: AbortSignal): Promise<ScriptOutcome | null> {
    if (signal?.aborted === true) return Promise.resolve(null);
    return new Promise((resolve) => {
      const entry: Entry = {
        call,
        runs: 0,
        resolve: (outcome) => {
          signal?.removeEventListener("abort", onAbort);
          resolve(outcome);
        },
      };
      const onAbort = (): void => this.#cancelEntry(entry);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(entry);
      this.#next();
    });
  }

  /** Runs a script while blocking the calling thread, for callers with simulated time. */
  runNow(call: ScriptCall): ScriptOutcome {
    for (let runs = 1; ; runs += 1) {
      const thread = this.#open();
      const outcome = thread.ask(call, this.#patienceMs);
      if (outcome !== null) return outcome;
      this.#drop();
      if (runs === RUNS_MAX) return limit(tooSlow(this.#patienceMs));
    }
  }

  /** Cancels every running or waiting script. */
  async close(): Promise<void> {
    const { entry } = this.#busy ?? {};
    this.#busy?.stopTimer();
    this.#busy = null;
    for (const each of [...(entry === undefined ? [] : [entry]), ...this.#waiting.splice(0)]) each.resolve(null);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.kill();
  }

  #next(): void {
    if (this.#busy !== null) return;
    const entry = this.#waiting.shift();
    if (entry === undefined) return this.#thread?.rest();
    entry.runs += 1;
    const stopTimer = this.#clock.after(this.#patienceMs, () => this.#lost(tooSlow(this.#patienceMs)));
    this.#busy = { entry, stopTimer };
    this.#open().send(entry.call);
  }

  #open(): ScriptThread {
    this.#thread ??= new ScriptThread(
      this.#limits,
      (outcome) => this.#end(outcome),
      (why) => {
        this.#thread = null;
        this.#lost(`its thread died ${RUNS_MAX} times: ${why}`);
      },
    );
    return this.#thread;
  }

  #end(outcome: ScriptOutcome | null): void {
    const busy = this.#busy;
    if (busy === null) return;
    busy.stopTimer();
    this.#busy = null;
    busy.entry.resolve(outcome);
    this.#next();
  }

  /** Handles a thread that died or does not answer: the script runs again in a new thread. */
  #lost(why: string): void {
    this.#drop();
    const busy = this.#busy;
    if (busy === null) return;
    if (busy.entry.runs >= RUNS_MAX) return this.#end(limit(why));
    busy.stopTimer();
    this.#busy = null;
    this.#waiting.unshift(busy.entry);
    this.#next();
  }

  #cancelEntry(entry: Entry): void {
    const place = this.#waiting.indexOf(entry);
    if (place !== -1) {
      this.#waiting.splice(place, 1);
      return entry.resolve(null);
    }
    if (this.#busy?.entry !== entry) return;
    this.#drop();
    this.#end(null);
  }

  #drop(): void {
    const thread = this.#thread;
    this.#thread = null;
    void thread?.kill();
  }
}

function tooSlow(patienceMs: number): string {
  return `it was stopped ${RUNS_MAX} times after ${patienceMs} ms without an end`;
}

function limit(message: string): ScriptOutcome {
  return { kind: "limit", message, line: null, column: null };
}
