import type { RunEvent } from "../../core/event/index.ts";

/** The organisation and the trace of a run. */
export interface RunOwner {
  readonly orgId: string;
  /** Absent for a parked run, because only its log is read. */
  readonly traceId?: string;
}

export type Listener = (runId: string, events: readonly RunEvent[], owner: RunOwner) => void;

/** Listeners to commits. A listener that throws does not stop the run. */
export class Listeners {
  readonly #all = new Set<Listener>();
  readonly #onTrouble: (what: string, error: unknown) => void;

  constructor(onTrouble: (what: string, error: unknown) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Adds a listener and returns a function that removes it. */
  add(listener: Listener): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  notify(runId: string, events: readonly RunEvent[], owner: RunOwner): void {
    for (const listener of this.#all) {
      try {
        listener(runId, events, owner);
      } catch (error) {
        this.#onTrouble(`a listener of run ${runId} failed`, error);
      }
    }
  }
}
