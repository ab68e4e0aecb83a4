import { isTerminal } from "../core/event/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { RunRecord, Store } from "../store/index.ts";
import { runEndOf } from "./run-end.ts";

export interface RunEndsOptions {
  readonly store: Pick<Store, "getRun" | "headsOf">;
  readonly runtime: Pick<Runtime, "onCommitted">;
  readonly everyMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const IGNORED = (): void => undefined;

/**
 * Callers that wait for ends of runs. Ends that this process commits wake them at once; those that other replicas
 * commit are found by one query for all runs, however many callers wait.
 */
export class RunEnds {
  readonly #options: RunEndsOptions;
  readonly #waiting = new Map<string, Set<() => void>>();
  #stopListening: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isAsking = false;

  constructor(options: RunEndsOptions) {
    this.#options = options;
  }

  /** Waits for the end of a run and returns it; null when it is still open after the limit. */
  async wait(orgId: string, runId: string, withinMs: number): Promise<RunRecord | null> {
    const { store } = this.#options;
    let wake = IGNORED;
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const timer = setTimeout(wake, withinMs);
    // Before the first read, which may miss an end that is committed meanwhile.
    this.#add(runId, wake);
    try {
      const first = await store.getRun(orgId, runId);
      if (first !== undefined && isTerminal(first.status)) return first;
      await woken;
      const last = await store.getRun(orgId, runId);
      return last !== undefined && isTerminal(last.status) ? last : null;
    } finally {
      clearTimeout(timer);
      this.#remove(runId, wake);
    }
  }

  #add(runId: string, wake: () => void): void {
    this.#waiting.set(runId, (this.#waiting.get(runId) ?? new Set()).add(wake));
    if (this.#timer !== null) return;
    this.#stopListening = this.#options.runtime.onCommitted((committed, events) => {
      if (this.#waiting.has(committed) && events.some((event) => runEndOf(event) !== null)) this.#wake(committed);
    });
    this.#timer = setInterval(() => void this.#ask(), this.#options.everyMs);
    this.#timer.unref();
  }

  #remove(runId: string, wake: () => void): void {
    const wakes = this.#waiting.get(runId);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.#waiting.delete(runId);
    if (this.#waiting.size > 0 || this.#timer === null) return;
    this.#stopListening?.();
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #wake(runId: string): void {
    for (const wake of this.#waiting.get(runId) ?? []) wake();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const heads = await this.#options.store.headsOf([...this.#waiting.keys()]);
      for (const { runId, status } of heads) if (isTerminal(status)) this.#wake(runId);
    } catch (error) {
      this.#options.onTrouble("ends of runs could not be looked for", error);
    } finally {
      this.#isAsking = false;
    }
  }
}
