import type { Adapter } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { checkArgs, type WorkflowRef } from "../core/definition/index.ts";
import {
  advance,
  createRunState,
  replay,
  type Effect,
  type Input,
  type RunState,
  type StartChild,
} from "../core/engine/index.ts";
import { isTerminal, type RunEvent } from "../core/event/index.ts";
import type { Plan } from "../core/plan/index.ts";
import { ApprovalDesk, type AnswerApproval } from "./approval-desk.ts";
import { childReport, refusedChild } from "./child-report.ts";
import { Dispatcher } from "./dispatcher.ts";
import { InputQueue } from "./input-queue.ts";
import type { Judge } from "../governance/index.ts";
import { aboutLocal } from "./about-local.ts";
import { createFamily, isQuiet, type LiveRun, RunTimers, wakeAll } from "./live-run.ts";
import { MemoryStore, type PendingApproval } from "./memory-store.ts";
import type { Told } from "./told.ts";

/** A version as it is pinned at run start. */
export interface PinnedWorkflow {
  readonly plan: Plan;
  readonly version: number | null;
  readonly hash: string;
}

export interface LocalDriverOptions {
  readonly adapters: readonly Adapter[];
  readonly clock: Clock;
  readonly judge: Judge;
  readonly newRunId: () => string;
  /** A number in [0, 1) for each input. */
  readonly jitter: () => number;
  readonly resolveWorkflow: (ref: WorkflowRef) => PinnedWorkflow | null;
  readonly answerApproval: AnswerApproval;
  /** Called after each commit, with the state it led to. */
  readonly onEvents?: (state: RunState, events: readonly RunEvent[]) => void;
  /** Upper bound of nodes in flight per run; a workflow's own `max_parallel` may be lower. */
  readonly concurrency?: number;
}

export type Settlement =
  | { readonly kind: "ended"; readonly state: RunState }
  /** Nothing goes on without a person: an approval is open, or a blocked node needs values. */
  | { readonly kind: "waiting"; readonly state: RunState; readonly approvals: readonly PendingApproval[] }
  /** A bug struck; the log holds everything up to the last good commit. */
  | { readonly kind: "parked"; readonly state: RunState; readonly message: string };

/** Verdicts are not performed after the commit but given inside it. */
type PerformedEffect = Exclude<Effect, { readonly type: "request-verdict" }>;

interface Launch {
  readonly runId: string;
  readonly workflow: PinnedWorkflow;
  readonly args: JsonObject;
  readonly trigger: string;
  readonly parent: {
    readonly run: LiveRun;
    readonly nodeId: string;
    readonly attempt: number;
    readonly recursionDepth: number;
  } | null;
}

/**
 * Keeps runs going in this process, with nothing stored beyond it: inputs one at a time, verdicts inside the commit,
 * then the log, then the effects. A run is lost with the process.
 */
export class LocalDriver {
  readonly #options: LocalDriverOptions;
  readonly #store = new MemoryStore();
  readonly #runs = new Map<string, LiveRun>();
  readonly #queue: InputQueue<{ readonly run: LiveRun; readonly told: Told }>;
  readonly #dispatcher: Dispatcher;
  readonly #desk: ApprovalDesk;
  #isClosed = false;

  constructor(options: LocalDriverOptions) {
    this.#options = options;
    const tell = (run: LiveRun, told: Told): void => this.#tell(run, told);
    this.#queue = new InputQueue(options.clock, ({ run, told }) => this.#take(run, told));
    this.#dispatcher = new Dispatcher(options.adapters, options.clock, tell);
    this.#desk = new ApprovalDesk(this.#store, options.answerApproval, tell);
  }

  /** The args must have been checked against the plan's. */
  start(workflow: PinnedWorkflow, args: JsonObject, trigger: string): string {
    const runId = this.#options.newRunId();
    this.#launch({ runId, workflow, args, trigger, parent: null });
    return runId;
  }

  cancel(runId: string, reason: string): void {
    const run = this.#runs.get(runId);
    if (run !== undefined) this.#tell(run, { type: "cancel", reason });
  }

  async whenSettled(runId: string): Promise<Settlement> {
    const run = this.#run(runId);
    for (;;) {
      const settlement = this.#settlementOf(run);
      if (settlement !== null) return settlement;
      await new Promise<void>((resolve) => run.family.waiters.push(resolve));
    }
  }

  stateOf(runId: string): RunState {
    return this.#run(runId).state;
  }

  logOf(runId: string): readonly RunEvent[] {
    return this.#store.logOf(runId);
  }

  /** Ends all timers and requests of this driver, so that nothing keeps the process alive. */
  close(): void {
    this.#isClosed = true;
    this.#queue.clear();
    for (const run of this.#runs.values()) this.#release(run);
  }

  #run(runId: string): LiveRun {
    const run = this.#runs.get(runId);
    if (run === undefined) throw new RangeError(`This driver has no run ${runId}.`);
    return run;
  }

  #launch({ runId, workflow, args, trigger, parent }: Launch): void {
    const { concurrency } = this.#options;
    const { plan } = workflow;
    const capped = concurrency === undefined ? plan : { ...plan, maxParallel: Math.min(plan.maxParallel, concurrency) };
    const family = parent?.run.family ?? createFamily();
    const run: LiveRun = {
      state: createRunState(capped, runId),
      family,
      parent:
        parent === null ? null : { runId: parent.run.state.runId, nodeId: parent.nodeId, attempt: parent.attempt },
      timers: new RunTimers(this.#options.clock, family, (timer) => this.#tell(run, { type: "timer", timer })),
      dispatches: new Set(),
      lastAt: 0,
      hasEnded: false,
      parked: null,
    };
    this.#runs.set(runId, run);
    this.#tell(run, {
      type: "start",
      workflow: plan.name,
      version: workflow.version,
      hash: workflow.hash,
      args,
      trigger,
      ...(parent === null ? {} : { parentRunId: parent.run.state.runId }),
      recursionDepth: parent?.recursionDepth ?? 0,
    });
  }

  #tell(run: LiveRun, told: Told): void {
    if (this.#isClosed || run.parked !== null) return;
    run.family.pendingInputs += 1;
    this.#queue.push({ run, told });
  }

  #take(run: LiveRun, told: Told): void {
    run.family.pendingInputs -= 1;
    if (run.parked === null) {
      try {
        this.#commit(run, told);
      } catch (bug) {
        this.#park(run, bug);
      }
    }
    if (isQuiet(run.family)) wakeAll(run.family);
  }

  /** One input and every verdict it leads to are one commit; effects are performed after it. */
  #commit(run: LiveRun, told: Told): void {
    const { state } = run;
    run.lastAt = Math.max(run.lastAt, this.#options.clock.now());
    const jitter = this.#options.jitter();
    const events: RunEvent[] = [];
    const effects: PerformedEffect[] = [];
    const inputs: Input[] = [{ ...told, at: run.lastAt, jitter }];
    for (const input of inputs) {
      const turn = advance(state, input);
      for (const event of turn.events) events.push(event);
      for (const effect of turn.effects) {
        if (effect.type !== "request-verdict") effects.push(effect);
        else {
          const { verdict } = this.#options.judge.decide(effect, aboutLocal(state, run.lastAt));
          const { nodeId, epoch } = effect;
          inputs.push({ type: "verdict", nodeId, epoch, verdict, at: run.lastAt, jitter });
        }
      }
      if (turn.refusal !== undefined && input.type === "approval") {
        this.#desk.refuse(input.approvalId, turn.refusal.message);
      }
    }
    this.#store.append(state.runId, events);
    if (told.type === "callback" && told.result.status !== "deferred") {
      run.timers.dropAttempt(told.nodeId, told.attempt);
    }
    if (events.length > 0) this.#options.onEvents?.(state, events);
    for (const effect of effects) this.#perform(run, effect);
    if (isTerminal(state.status) && !run.hasEnded) this.#end(run);
  }

  #perform(run: LiveRun, effect: PerformedEffect): void {
    switch (effect.type) {
      case "dispatch":
        this.#dispatcher.dispatch(run, effect);
        return;
      case "cancel-dispatch":
        this.#dispatcher.cancel(run, effect.dispatchId);
        return;
      case "set-timer":
        run.timers.set(effect.timer, effect.dueAt);
        return;
      case "open-approval":
        this.#desk.open(run, effect);
        return;
      case "close-approval":
        this.#desk.close(effect.approvalId);
        return;
      case "start-child":
        this.#startChild(run, effect);
        return;
      case "cancel-child":
        this.cancel(effect.childRunId, "parent_cancelled");
        return;
      case "notify":
        // The events say the same to everybody who watches this process.
        return;
    }
  }

  #startChild(run: LiveRun, effect: StartChild): void {
    const { nodeId, childRunId, workflow: ref, recursionDepth } = effect;
    if (this.#runs.has(childRunId)) return;
    const workflow = this.#options.resolveWorkflow(ref);
    if (workflow === null) {
      this.#tell(run, refusedChild(effect, `There is no workflow "${ref.name}" at hand.`));
      return;
    }
    const args = checkArgs(workflow.plan.args, effect.args);
    if (!args.ok) {
      const reasons = args.failure.map((problem) => problem.message).join(" ");
      this.#tell(run, refusedChild(effect, `The args do not fit the workflow "${ref.name}": ${reasons}`));
      return;
    }
    const parent = { run, nodeId, attempt: effect.attempt, recursionDepth };
    this.#launch({ runId: childRunId, workflow, args: args.value, trigger: "parent", parent });
  }

  #end(run: LiveRun): void {
    run.hasEnded = true;
    this.#release(run);
    this.#reportToParent(run, null);
    wakeAll(run.family);
  }

  /** The half-done state is dropped: what is true is what the log says. */
  #park(run: LiveRun, bug: unknown): void {
    run.parked = { message: bug instanceof Error ? bug.message : String(bug) };
    this.#release(run);
    const { plan, runId } = run.state;
    try {
      run.state = replay(plan, runId, this.#store.logOf(runId));
    } catch {
      // The log itself cannot be folded; the broken state is the best there is to look at.
    }
    this.#reportToParent(run, run.parked.message);
    wakeAll(run.family);
  }

  /** Ends everything the run has going outside the engine. */
  #release(run: LiveRun): void {
    run.timers.stopAll();
    this.#dispatcher.release(run);
  }

  #reportToParent(run: LiveRun, bug: string | null): void {
    const parent = run.parent === null ? undefined : this.#runs.get(run.parent.runId);
    if (parent !== undefined && run.parent !== null) this.#tell(parent, childReport(run.parent, run.state, bug));
  }

  #settlementOf(run: LiveRun): Settlement | null {
    const { state, family } = run;
    if (run.parked !== null) return { kind: "parked", state, message: run.parked.message };
    if (run.hasEnded) return { kind: "ended", state };
    if (!isQuiet(family)) return null;
    const approvals = this.#store.pendingApprovals().filter(({ runId }) => this.#runs.get(runId)?.family === family);
    return { kind: "waiting", state, approvals };
  }
}
