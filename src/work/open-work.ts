import { type Clock, createSystemClock } from "../clock/index.ts";
import type { WorkStore } from "../store/index.ts";
import { WorkerDirectory } from "./worker-directory.ts";
import { WorkQueue } from "./work-queue.ts";

export interface WorkOptions {
  readonly store: WorkStore;
  readonly clock?: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The queue of work for workers, and the directory of present workers. */
export interface OpenedWork {
  readonly queue: WorkQueue;
  readonly workers: WorkerDirectory;
}

export function openWork({ clock = createSystemClock(), ...rest }: WorkOptions): OpenedWork {
  return { queue: new WorkQueue({ clock, ...rest }), workers: new WorkerDirectory({ clock, ...rest }) };
}
