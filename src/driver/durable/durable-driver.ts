import type { CallbackBody } from "../../bridge/index.ts";
import type { BoundRequest, StreamInput, UnstampedInput } from "../../core/engine/index.ts";
import type { AttemptAddress } from "../../core/event/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { NewEvent, PutEvent } from "../../store/index.ts";
import { createNodeModeration } from "../moderation/index.ts";
import { AfterCommit } from "./after-commit.ts";
import type { Reporter, ReportOutcome } from "./attempt-report.ts";
import { Attempts } from "./attempts.ts";
import { type ChildPreparer, Children, NO_CHILDREN } from "./children.ts";
import { CommitLoop } from "./commit-loop.ts";
import { Committer } from "./committer.ts";
import { Deadlines } from "./deadlines.ts";
import type { DurableDriverOptions } from "./driver-options.ts";
import { DueTimers } from "./due-timers.ts";
import { EventMatcher } from "./event-matcher.ts";
import { requestsOf, stateAt } from "./history.ts";
import { InputQueue, type Waiting } from "./input-queue.ts";
import { Lease } from "./lease.ts";
import { type Listener, Listeners } from "./listeners.ts";
import { Moderator } from "./moderator.ts";
import { parkInBackground } from "./parking.ts";
import { Places } from "./places.ts";
import { PlanCache } from "./plan-cache.ts";
import { ReportIntake } from "./report-intake.ts";
import { ScriptTools } from "./step-tools.ts";
import { TurnIntake } from "./turn-intake.ts";
import { TurnSeal } from "./turn-seal.ts";
import { RunCache } from "./run-cache.ts";
import { RunStarter } from "./run-starter.ts";
import type { Launch, LaunchOutcome, Runtime, RuntimeFigures, RunSnapshot, SubmitOutcome } from "./runtime.ts";
import { StartAdmission } from "./start-admission.ts";
import { RunContinuer } from "./run-continuer.ts";
import { StoreHealth } from "./store-health.ts";
import { Sweeper } from "./sweeper.ts";
import { resolveWake } from "./wake-timer.ts";

const DRAIN_MS = 5_000;

/**
 * Drives runs over a persistent store. Its parts, in the direction of an input:
 *
 *   callers, adapters, deadlines ─▶ InputQueue ─▶ CommitLoop ─▶ Committer (engine, judge, one commit) ─▶ AfterCommit
 *                                       ▲                                                                     │
 *                                       └── Attempts, Children, DueTimers ◀── effects and deadlines ──────────┘
 *
 * A part knows only the parts before it. Everything that comes back goes through the queue.
 */
export class DurableDriver implements Runtime {
  readonly #options: DurableDriverOptions;
  readonly #queue = new InputQueue(
    (runId) => this.#cache.peek(runId)?.run,
    (orgId) => this.#options.judge.hasWaiting?.(orgId) === true,
  );
  readonly #lease: Lease;
  readonly #plans: PlanCache;
  readonly #cache: RunCache;
  readonly #moderator: Moderator;
  readonly #intake: ReportIntake;
  readonly #attempts: Attempts;
  readonly #deadlines: Deadlines;
  readonly #health: StoreHealth;
  readonly #starter: RunStarter;
  readonly #committer: Committer;
  readonly #loop: CommitLoop;
  readonly #sweeper: Sweeper;
  readonly #continuer: RunContinuer;
  readonly turns: TurnIntake;
  readonly #listeners: Listeners;
  readonly #matcher: EventMatcher;

  constructor(options: DurableDriverOptions) {
    const { store, adapters, clock, monotonic, judge, isUnavailable, onTrouble, onGone } = options;
    const queue = this.#queue;
    this.#options = options;
    const listeners = (this.#listeners = new Listeners(onTrouble));
    const lease = (this.#lease = new Lease(store, monotonic, options.replicaId));
    const health = (this.#health = new StoreHealth({ isUnavailable, clock }));
    const moderator = (this.#moderator = new Moderator(options.moderation ?? createNodeModeration()));
    const plans = (this.#plans = new PlanCache(store, options.shapePlan, options.knownPlans));
    const cache = (this.#cache = new RunCache(store, plans));
    const admission = new StartAdmission({ ...options, queue, health });
    const seal = new TurnSeal(options.box);
    const starter = (this.#starter = new RunStarter({ queue, plans, admission, judge, store, clock, seal }));
    const intake = (this.#intake = new ReportIntake({ queue, cache, moderator, clock }));
    const scripts = new ScriptTools(adapters);
    const turns = (this.turns = new TurnIntake({ queue, cache, clock, listeners, scripts }));
    const preparer = preparerOf(options);
    const inward = { preparer, queue, intake, turns, seal, lease, health, cache, moderator };
    const attempts = (this.#attempts = new Attempts({ ...outwardOf(options), ...inward }));
    const children = new Children({ preparer, store, starter, states: () => this, intake, clock, onTrouble });
    const dueTimers = new DueTimers({ queue, intake, attempts, children, store, clock, onTrouble });
    const deadlines = (this.#deadlines = new Deadlines(clock, dueTimers));
    const matcher = (this.#matcher = new EventMatcher({ store, intake, subscriber: options.onEvent, onTrouble }));
    const after = new AfterCommit({ queue, lease, attempts, deadlines, children, dueTimers, listeners, matcher });
    cache.onLoaded = (live, attempt) => after.loaded(live, attempt);
    const onBug = options.onBug ?? ((runId: string, bug: unknown) => onTrouble(`run ${runId} is parked`, bug));
    const parking = { store, health, judge, clock, onBug, after, onTrouble };
    const onParked = (runId: string, error: unknown): void => parkInBackground(parking, runId, error);
    const jitter = options.jitter ?? Math.random;
    const places = new Places({ store, intake, dueTimers, clock, onTrouble });
    const deciding = { judge, moderator, clock, jitter, seal };
    const committing = { store, cache, queue, lease, health, after, places, onParked, onTrouble, onGone };
    this.#committer = new Committer({ ...deciding, ...committing });
    this.#loop = new CommitLoop({ queue, step: () => this.#committer.step(), onTrouble });
    this.#sweeper = new Sweeper({ store, clock, lease, attempts, deadlines, dueTimers, matcher, onTrouble });
    this.#continuer = new RunContinuer({ store, intake, clock, onTrouble });
    judge.attach?.({
      replicaId: () => lease.replicaId,
      // Uses the newest state: a claimed node may wait in a state that only another replica has seen so far.
      wake: ({ runId, nodeId }, done) => void intake.submitToNewest(runId, () => resolveWake(nodeId)).then(done, done),
    });
  }

  async start(): Promise<void> {
    await this.#lease.register(this.#options.supersedesAll);
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#attempts.stopSending();
    this.#matcher.stop();
    this.#queue.close();
    const swept = this.#sweeper.stop();
    this.#deadlines.stop();
    this.#continuer.stop();
    const { clock, drainMs = DRAIN_MS } = this.#options;
    const from = clock.now();
    const isWithin = (ms: number): boolean => clock.now() < from + ms;
    const isBusy = (): boolean =>
      (this.#loop.isBusy && isWithin(DRAIN_MS)) || (this.#attempts.hereCount > 0 && isWithin(drainMs));
    while (isBusy()) await new Promise<void>((resolve) => clock.after(20, resolve));
    await swept;
    await this.#lease.retire();
    this.#moderator.close();
    this.#attempts.close();
  }

  launch(launch: Launch): Promise<LaunchOutcome> {
    return this.#starter.start(launch, this);
  }

  async submit(orgId: string, runId: string, input: UnstampedInput): Promise<SubmitOutcome | undefined> {
    this.#queue.refuseWhenFull();
    // Checked before the input is queued: a run of another organisation must not even be advanced.
    const run = await this.#options.store.getRun(orgId, runId);
    if (run === undefined) return undefined;
    const outcome = await this.#queue.submit(runId, input);
    if (outcome.kind === "unknown") return undefined;
    if (outcome.kind === "failed") throw outcome.error;
    const { live, refusal } = outcome;
    return { run: live.run, ...(refusal === undefined ? {} : { refusal }) };
  }

  report(reporter: Reporter, address: AttemptAddress, body: CallbackBody): Promise<ReportOutcome> {
    return this.#intake.report(reporter, address, body);
  }

  stream(reporter: Reporter, address: AttemptAddress, deltas: StreamInput["deltas"]): Promise<ReportOutcome> {
    return this.#intake.stream(reporter, address, deltas);
  }

  receive(orgId: string, events: readonly NewEvent[]): Promise<readonly PutEvent[]> {
    this.#queue.refuseWhenFull();
    return this.#matcher.receive(orgId, events);
  }

  /** Takes the inputs of a run that another driver of this process drove until its organisation moved here. */
  take(runId: string, waiting: readonly Waiting[]): void {
    for (const one of waiting) this.#queue.push(runId, one);
  }

  /** Returns whether this driver has started the dispatch and not seen its end. */
  holds(dispatchId: string): boolean {
    return this.#attempts.holds(dispatchId);
  }

  /** Returns the next moment at which a run must be processed because of a deadline. Null when there is none. */
  nextDeadline(): number | null {
    return this.#deadlines.next();
  }

  async stateOf(orgId: string, runId: string): Promise<RunSnapshot | undefined> {
    const live = await this.#intake.newest(runId);
    return live === undefined || live.run.orgId !== orgId ? undefined : { run: live.run, state: live.state };
  }

  stateAt(orgId: string, runId: string, eventId: number): Promise<RunSnapshot | null | undefined> {
    return stateAt(this.#options.store, this.#plans, { orgId, runId, eventId });
  }

  requestsOf(orgId: string, runId: string, nodeId: string): Promise<ReadonlyMap<number, BoundRequest>> {
    return requestsOf(this.#options.store, this.#plans, { orgId, runId, nodeId });
  }

  planOf(orgId: string, hash: string, block: string | null = null): Promise<Plan | undefined> {
    return this.#plans.get(orgId, hash, block);
  }

  continueRuns(orgId: string, workflow: string | null): Promise<void> {
    return this.#continuer.continueAll(orgId, workflow);
  }

  onCommitted(listener: Listener): () => void {
    return this.#listeners.add(listener);
  }

  figures(): RuntimeFigures {
    return {
      replicaId: this.#lease.replicaId,
      queuedInputs: this.#queue.size,
      cachedRuns: this.#cache.size,
      cachedBytes: this.#cache.bytes,
      openDispatches: this.#attempts.openCount,
      outage: this.#health.outage,
      ...this.#committer.figures,
    };
  }
}

/** Returns the options for sending attempts. */
function outwardOf(options: DurableDriverOptions) {
  const { adapters, clock, redactor, remote, files, secrets, functions, isOpenElsewhere, onTrouble } = options;
  return { adapters, clock, redactor, remote, files, secrets, functions, isOpenElsewhere, onTrouble };
}

/** Returns a preparer that resolves `children` at every use, because `children` is created after the driver and needs it. */
function preparerOf({ children }: DurableDriverOptions): ChildPreparer {
  return {
    prepare: (parent, wanted) => (children?.() ?? NO_CHILDREN).prepare(parent, wanted),
    argsOf: async (parent, workflow) => (await children?.().argsOf?.(parent, workflow)) ?? null,
  };
}
