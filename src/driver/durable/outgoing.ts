import { type Dispatch, findNode } from "../../core/engine/index.ts";
import type { Attempts } from "./attempts.ts";
import type { Lease } from "./lease.ts";
import type { LiveRun } from "./live-run.ts";
import { isOpen } from "./attempt-report.ts";
import type { RunCache } from "./run-cache.ts";

export interface OutgoingOptions {
  readonly lease: Pick<Lease, "isHeld">;
  readonly attempts: Pick<Attempts, "send" | "isOpen">;
  readonly cache: Pick<RunCache, "peek">;
}

/**
 * Sends what was committed while this replica holds its lease. Without it another replica may send it, and sending too
 * would be a second execution; so it is held back until it is known whose it is.
 */
export class Outgoing {
  readonly #options: OutgoingOptions;
  readonly #heldBack: { readonly live: LiveRun; readonly dispatch: Dispatch }[] = [];
  #isClosed = false;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  send(live: LiveRun, dispatch: Dispatch): void {
    // Nothing is begun while stopping: whoever comes next finds the attempt open.
    if (this.#isClosed) return;
    if (this.#options.lease.isHeld) this.#options.attempts.send(live, dispatch);
    else this.#heldBack.push({ live, dispatch });
  }

  /**
   * The lease was renewed in time, as far as the database is concerned: nobody has taken anything over, and the process
   * was only too busy to know. What is still wanted is sent now.
   */
  renewed(): void {
    const { attempts, cache } = this.#options;
    for (const { live, dispatch } of this.#heldBack.splice(0)) {
      const now = cache.peek(live.state.runId) ?? live;
      const node = findNode(now.state, dispatch.nodeId);
      const isWanted = node !== undefined && isOpen(node, dispatch.attempt) && !attempts.isOpen(dispatch.dispatchId);
      if (isWanted) this.send(now, dispatch);
    }
  }

  /** It was lost: what was held back is anybody's, and found again by whoever claims it. */
  lost(): void {
    this.#heldBack.length = 0;
  }

  close(): void {
    this.#isClosed = true;
    this.lost();
  }
}
