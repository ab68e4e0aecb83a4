import type { Adapter } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Dispatch } from "../core/engine/index.ts";
import { AdapterPool } from "./adapter-pool.ts";
import { closeDispatch, type LiveRun, openDispatch } from "./live-run.ts";
import type { Told } from "./told.ts";

type Tell = (run: LiveRun, told: Told) => void;

/** Hands the attempts of runs in this process to adapters, brings back what they say, and counts what is open. */
export class Dispatcher {
  readonly #pool: AdapterPool;
  readonly #tell: Tell;

  constructor(adapters: readonly Adapter[], clock: Clock, tell: Tell) {
    this.#pool = new AdapterPool(adapters, clock);
    this.#tell = tell;
  }

  dispatch(run: LiveRun, effect: Dispatch): void {
    const { nodeId, attempt, dispatchId } = effect;
    openDispatch(run, dispatchId);
    this.#pool.send(effect, run.state, {
      stream: (deltas) => this.#tell(run, { type: "stream", nodeId, attempt, deltas }),
      callback: (result) => {
        this.#tell(run, { type: "callback", nodeId, attempt, result });
        // Deferred work is still open: it ends by its deadline, or when the node is cancelled.
        if (result.status !== "deferred") closeDispatch(run, dispatchId);
      },
    });
  }

  cancel(run: LiveRun, dispatchId: string): void {
    closeDispatch(run, dispatchId);
    this.#pool.abort(dispatchId);
  }

  /** Calls off all a run has open. */
  release(run: LiveRun): void {
    for (const dispatchId of run.dispatches) this.cancel(run, dispatchId);
  }
}
