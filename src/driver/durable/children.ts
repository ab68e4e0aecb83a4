import { childCallOf, type ChildTimer, type Effect, type StartChild, type Timer } from "../../core/engine/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { RunRecord, RunStore } from "../../store/index.ts";
import { childReport, refusedChild } from "../child-report.ts";
import type { Told } from "../told.ts";
import type { LiveRun } from "./live-run.ts";
import type { Launch, RunView } from "./runtime.ts";

/** Says how a child run is to be started, or why it may not be. */
export interface ChildDesk {
  prepare(parent: RunRecord, wanted: StartChild): Promise<PreparedChild>;
}

export type PreparedChild =
  | { readonly kind: "launch"; readonly launch: Launch }
  /** In words for whoever reads why the node failed. */
  | { readonly kind: "refused"; readonly message: string };

export interface ChildrenOptions {
  readonly desk: ChildDesk;
  readonly store: Pick<RunStore, "getRun">;
  /** Starts the run under the id it was given; one that is there already stays as it is. Says why it cannot begin. */
  readonly launch: (launch: Launch) => Promise<string | null>;
  /** Tells a run something on its newest state. */
  readonly tell: (runId: string, told: Told) => Promise<void>;
  /** The newest state of a run. */
  readonly look: (runId: string) => Promise<RunView | undefined>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Starts child runs, calls them off, and tells parents how they ended. Each of the three is done right after the commit
 * that made it due. A timer of the parent, written with that very commit, stands until it is known to be done: whoever
 * finds it due does what is missing, so that no crash in between leaves a parent waiting or a child running on.
 */
export class Children {
  readonly #options: ChildrenOptions;
  /** What is under way for a child; whatever comes next waits for it. */
  readonly #busy = new Map<string, Promise<void>>();

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  start({ run }: LiveRun, wanted: StartChild): void {
    this.#next(wanted.childRunId, () => this.#begin(run, wanted));
  }

  cancel({ run }: LiveRun, { nodeId, attempt, childRunId }: Extract<Effect, { type: "cancel-child" }>): void {
    this.#next(childRunId, () => this.#callOff(run, { nodeId, attempt, childRunId }));
  }

  /** A run has ended; whoever started it may go on. */
  ended({ run, state }: LiveRun): void {
    const { parentRunId, parentNode, parentAttempt } = run;
    if (parentRunId === null || parentNode === null || parentAttempt === null) return;
    const report = childReport({ nodeId: parentNode, attempt: parentAttempt }, state);
    this.#next(run.runId, () => this.#options.tell(parentRunId, report));
  }

  /** Found due: what should have been done for the child by now is done, unless it was. */
  lookAfter(parentRunId: string, timer: ChildTimer): void {
    if (this.#busy.has(timer.childRunId)) return;
    this.#next(timer.childRunId, async () => {
      const parent = await this.#options.look(parentRunId);
      if (parent !== undefined && parent.state.liveChildren.has(timer.childRunId)) await this.#catchUp(parent, timer);
      await this.#options.tell(parentRunId, { type: "timer", timer });
    });
  }

  async #catchUp({ run, state }: RunView, timer: ChildTimer): Promise<void> {
    if (timer.kind === "child-cancel") return this.#callOff(run, timer);
    const child = await this.#options.store.getRun(run.orgId, timer.childRunId);
    if (child !== undefined) return isTerminal(child.status) ? this.#report(run, child) : undefined;
    const wanted = childCallOf(state, timer);
    await (wanted === null ? this.#neverBegan(run, timer) : this.#begin(run, wanted));
  }

  async #begin(parent: RunRecord, wanted: StartChild): Promise<void> {
    const { desk, launch, look, tell } = this.#options;
    const prepared = await desk.prepare(parent, wanted);
    const refusal = prepared.kind === "launch" ? await launch(prepared.launch) : prepared.message;
    if (refusal !== null) return tell(parent.runId, refusedChild(wanted, refusal));
    // Another replica may have called it off when it was not there to be found.
    const now = await look(parent.runId);
    if (now !== undefined && !now.state.liveChildren.has(wanted.childRunId)) await tell(wanted.childRunId, CALL_OFF);
  }

  async #callOff(parent: RunRecord, child: Omit<ChildTimer, "kind">): Promise<void> {
    const found = await this.#options.store.getRun(parent.orgId, child.childRunId);
    if (found === undefined) await this.#neverBegan(parent, child);
    else if (isTerminal(found.status)) await this.#report(parent, found);
    else await this.#options.tell(child.childRunId, CALL_OFF);
  }

  async #report(parent: RunRecord, child: RunRecord): Promise<void> {
    const view = await this.#options.look(child.runId);
    const { parentNode, parentAttempt } = child;
    if (view === undefined || parentNode === null || parentAttempt === null) return;
    const called = { nodeId: parentNode, attempt: parentAttempt };
    await this.#options.tell(parent.runId, childReport(called, view.state));
  }

  async #neverBegan(parent: RunRecord, child: Omit<ChildTimer, "kind">): Promise<void> {
    const told = refusedChild(child, "it was called off before it began");
    await this.#options.tell(parent.runId, { ...told, status: "cancelled" });
  }

  #next(childRunId: string, work: () => Promise<void>): void {
    const before = this.#busy.get(childRunId) ?? Promise.resolve();
    const now = before
      .then(work)
      .catch((error: unknown) => this.#options.onTrouble(`the child run ${childRunId} was not looked after`, error))
      .finally(() => {
        if (this.#busy.get(childRunId) === now) this.#busy.delete(childRunId);
      });
    this.#busy.set(childRunId, now);
  }
}

const CALL_OFF: Told = { type: "cancel", reason: "parent_cancelled" };

/** Where nobody was said to start child runs, none is. */
export const NO_CHILDREN: ChildDesk = {
  prepare: async (_parent, { workflow }) => ({
    kind: "refused",
    message: `There is no workflow "${workflow.name}" at hand.`,
  }),
};

export function isOfChild(timer: Timer): timer is ChildTimer {
  return timer.kind === "child" || timer.kind === "child-cancel";
}
