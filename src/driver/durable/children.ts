import {
  childCallOf,
  type ChildTimer,
  type Effect,
  heldPauseOf,
  type StartChild,
  type UnstampedInput,
} from "../../core/engine/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { Clock } from "../../clock/index.ts";
import { OrganisationMoving, type RunRecord, type Store } from "../../store/index.ts";
import { childReport, refusedChild } from "../child-report.ts";
import { parentTimerOf } from "./derive-commit.ts";
import { isOfChild } from "./due-timers.ts";
import type { DrivenRun } from "./driven-run.ts";
import { postponeTimer } from "./parking.ts";
import type { ReportIntake } from "./report-intake.ts";
import type { RunStarter } from "./run-starter.ts";
import { launchOfChild } from "./launch-of-child.ts";
import type { Launch, RunSnapshot, Runtime } from "./runtime.ts";

/** Prepares the launch of a child run, or returns why it may not start. */
export interface ChildPreparer {
  prepare(parent: RunRecord, wanted: StartChild): Promise<PreparedChild>;
  /** Returns the JSON Schema of the args of a workflow that the run may start. Null when it is unknown. */
  argsOf?(parent: RunRecord, workflow: StartChild["workflow"]): Promise<JsonObject | null>;
}

export type PreparedChild =
  | { readonly kind: "launch"; readonly launch: Launch }
  /** Explanation for readers who want to know why the node failed. */
  | { readonly kind: "refused"; readonly message: string };

export interface ChildrenOptions {
  readonly preparer: ChildPreparer;
  readonly store: Pick<Store, "getRun" | "headsOf" | "loadRuns" | "commit">;
  readonly starter: Pick<RunStarter, "startChild">;
  /** Reads the run of a block that another run continues. */
  readonly states: () => Pick<Runtime, "stateOf" | "stateAt">;
  readonly intake: Pick<ReportIntake, "submitToNewest" | "newest">;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Starts child runs, cancels them, and reports their end and later cost to their parents. Each of these happens right after the
 * commit that requires it. That commit also sets a timer of the parent, which stays until the work is known to be done: the
 * replica that finds it due does whatever is missing. So a crash in between leaves no parent waiting and no child running.
 */
export class Children {
  readonly #options: ChildrenOptions;
  /** Work in progress for each child run. Further work for the same child waits for it. */
  readonly #busy = new Map<string, Promise<void>>();

  constructor(options: ChildrenOptions) {
    this.#options = options;
  }

  start({ run }: DrivenRun, wanted: StartChild): void {
    this.#next(wanted.childRunId, () => this.#begin(run, wanted));
  }

  cancel({ run }: DrivenRun, { nodeId, attempt, childRunId }: Extract<Effect, { type: "cancel-child" }>): void {
    this.#next(childRunId, () => this.#cancelChild(run, { nodeId, attempt, childRunId }));
  }

  /** Pauses or resumes the child, so that it is paused exactly when its parent is. */
  pause({ run }: DrivenRun, childRunId: string): void {
    const timer: ChildTimer = { kind: "child-pause", nodeId: "", attempt: 0, childRunId };
    this.#next(childRunId, async () => {
      const parent = await this.#readParent(run.runId);
      if (parent !== undefined && parent !== "unreadable") await this.#passPauseOn(parent, childRunId);
      await this.#submit(run.runId, { type: "timer", timer });
    });
  }

  /** Cancels the child because the parent has hit a bug and will not take the result. */
  abandon(childRunId: string): void {
    this.#next(childRunId, () => this.#submit(childRunId, CANCEL_CHILD));
  }

  /** Called when a run has ended, so its parent may continue, or has spent more after its end, which the parent records. */
  ended({ run, state }: DrivenRun, isLate: boolean): void {
    const due = parentTimerOf(run, 0, isLate ? state.lastEventId : null);
    if (due === null || !isOfChild(due.timer)) return;
    const { runId: parentRunId, timer } = due;
    const report = childReport(timer, state);
    this.#next(run.runId, async () => {
      await this.#submit(parentRunId, report);
      // The timer for the end is cleared when the parent records the end.
      if (isLate) await this.#submit(parentRunId, { type: "timer", timer });
    });
  }

  /** Called when a child timer is found due: performs whatever should have been done for the child and was not. */
  completePendingWork(parentRunId: string, timer: ChildTimer): void {
    if (this.#busy.has(timer.childRunId)) return;
    const { store, clock } = this.#options;
    this.#next(timer.childRunId, async () => {
      const parent = await this.#readParent(parentRunId);
      if (parent === "unreadable") {
        await this.#submit(timer.childRunId, CANCEL_CHILD);
        return postponeTimer(store, parentRunId, timer, clock.now());
      }
      if (parent !== undefined) await this.#catchUp(parent, timer);
      await this.#submit(parentRunId, { type: "timer", timer });
    });
  }

  /** A run ended by a bug may have a log that cannot be folded. Any other run is only temporarily unavailable, so the error is thrown. */
  async #readParent(runId: string): Promise<RunSnapshot | "unreadable" | undefined> {
    const { intake, store } = this.#options;
    try {
      return await intake.newest(runId);
    } catch (error) {
      const [head] = await store.headsOf([runId]);
      if (head !== undefined && isTerminal(head.status)) return "unreadable";
      throw error;
    }
  }

  async #catchUp({ run, state }: RunSnapshot, timer: ChildTimer): Promise<void> {
    const { childRunId } = timer;
    if (timer.kind !== "child-cost" && !state.liveChildren.has(childRunId)) return;
    if (timer.kind === "child-pause") return this.#passPauseOn({ run, state }, childRunId);
    if (timer.kind === "child-cancel") return this.#cancelChild(run, timer);
    const child = await this.#options.store.getRun(run.orgId, childRunId);
    if (child !== undefined) return isTerminal(child.status) ? this.#report(run, child) : undefined;
    if (isTerminal(state.status)) return;
    const wanted = childCallOf(state, timer);
    await (wanted === null ? this.#reportNeverStarted(run, timer) : this.#begin(run, wanted));
  }

  async #begin(parent: RunRecord, wanted: StartChild): Promise<void> {
    const { preparer, starter, states } = this.#options;
    const prepared = wanted.block === undefined ? await preparer.prepare(parent, wanted) : blockOf(parent, wanted);
    const refusal =
      prepared.kind === "launch"
        ? await starter.startChild(withKeys(prepared.launch, wanted), states())
        : prepared.message;
    if (refusal !== null) return this.#submit(parent.runId, refusedChild(wanted, refusal));
    // Before the child existed, another replica may have tried to cancel it, or the parent may have hit a bug since.
    const now = await this.#readParent(parent.runId);
    const state = now === "unreadable" ? undefined : now?.state;
    const isWanted = state !== undefined && !isTerminal(state.status) && state.liveChildren.has(wanted.childRunId);
    if (!isWanted) await this.#submit(wanted.childRunId, CANCEL_CHILD);
    else if (now !== undefined && now !== "unreadable") await this.#passPauseOn(now, wanted.childRunId);
  }

  /** Passes the pause or resume of the parent on. A repeated submit changes nothing. */
  async #passPauseOn({ run, state }: RunSnapshot, childRunId: string): Promise<void> {
    const child = await this.#options.store.getRun(run.orgId, childRunId);
    if (child === undefined || isTerminal(child.status)) return;
    const pause = heldPauseOf(state);
    if (pause === null && child.paused === null) return;
    const { by = null, reason = null } = pause ?? {};
    const why = { ...(by === null ? {} : { by }), ...(reason === null ? {} : { reason }), isByParent: true as const };
    await this.#submit(childRunId, { type: pause === null ? "resume" : "pause", ...why });
  }

  async #cancelChild(parent: RunRecord, child: Omit<ChildTimer, "kind">): Promise<void> {
    const found = await this.#options.store.getRun(parent.orgId, child.childRunId);
    if (found === undefined) await this.#reportNeverStarted(parent, child);
    else if (isTerminal(found.status)) await this.#report(parent, found);
    else await this.#submit(child.childRunId, CANCEL_CHILD);
  }

  async #report(parent: RunRecord, child: RunRecord): Promise<void> {
    const view = await this.#options.intake.newest(child.runId);
    const { parentNode, parentAttempt } = child;
    if (view === undefined || parentNode === null || parentAttempt === null) return;
    const called = { nodeId: parentNode, attempt: parentAttempt };
    await this.#submit(parent.runId, childReport(called, view.state));
  }

  async #reportNeverStarted(parent: RunRecord, child: Omit<ChildTimer, "kind">): Promise<void> {
    const input = refusedChild(child, "it was called off before it began");
    await this.#submit(parent.runId, { ...input, status: "cancelled" });
  }

  /** Submits to the newest state of the run, whichever replica wrote it. */
  async #submit(runId: string, input: UnstampedInput): Promise<void> {
    await this.#options.intake.submitToNewest(runId, () => () => ({ input }));
  }

  #next(childRunId: string, work: () => Promise<void>): void {
    const before = this.#busy.get(childRunId) ?? Promise.resolve();
    const now = before
      .then(work)
      .catch((error: unknown) => {
        // The new cell of the organisation finds the timer of the parent.
        if (error instanceof OrganisationMoving) return;
        this.#options.onTrouble(`the child run ${childRunId} was not attended to`, error);
      })
      .finally(() => {
        if (this.#busy.get(childRunId) === now) this.#busy.delete(childRunId);
      });
    this.#busy.set(childRunId, now);
  }
}

function withKeys(launch: Launch, { heldKeys }: StartChild): Launch {
  return heldKeys === undefined ? launch : { ...launch, heldKeys };
}

const CANCEL_CHILD: UnstampedInput = { type: "cancel", reason: "parent_cancelled", isByParent: true };

/** A block is part of its parent's file, so nothing is looked up and no gate is evaluated. */
function blockOf(parent: RunRecord, wanted: StartChild): PreparedChild {
  const { version, definitionHash: hash, pinnedHash } = parent;
  return { kind: "launch", launch: launchOfChild(parent, wanted, { version, hash, pinnedHash }, wanted.args) };
}

/** Used without a preparer: no child run is started. */
export const NO_CHILDREN: ChildPreparer = {
  prepare: async (_parent, { workflow }) => ({
    kind: "refused",
    message: `There is no workflow "${workflow.name}" at hand.`,
  }),
};
