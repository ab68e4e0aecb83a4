import type { RunEvent } from "../../core/event/index.ts";

/** What a run belongs to. */
export interface RunOwner {
  readonly orgId: string;
  /** Absent for a run that was parked: of it only the log is read. */
  readonly traceId?: string;
}

export type Listener = (runId: string, events: readonly RunEvent[], owner: RunOwner) => void;

/** Listeners to commits; one that throws must not keep a run from continuing. */
export class Listeners {
  readonly #all = new Set<Listener>();
  readonly #onTrouble: (what: string, error: unknown) => void;

  constructor(onTrouble: (what: string, error: unknown) => void) {
    this.#onTrouble = onTrouble;
  }

  /** Returns how to stop listening. */
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
