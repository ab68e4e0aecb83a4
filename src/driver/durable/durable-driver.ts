import { randomBytes } from "node:crypto";
import type { CallbackBody } from "../../bridge/index.ts";
import { type Dispatch, type Effect, type StreamInput, type Timer } from "../../core/engine/index.ts";
import { isTerminal, type RunEvent } from "../../core/event/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { OpenAttempt } from "../../store/index.ts";
import type { Told } from "../told.ts";
import { Attempts } from "./attempts.ts";
import { Committer, DuplicateRun, type Committed } from "./committer.ts";
import { Deadlines } from "./deadlines.ts";
import type { DurableDriverOptions } from "./driver-options.ts";
import { endedAttempt } from "./ended-attempt.ts";
import { Lease } from "./lease.ts";
import type { LiveRun } from "./live-run.ts";
import { carriedFor, createLive, refused, repeated, startOf } from "./launching.ts";
import { parkAloud } from "./parking.ts";
import { stateAt } from "./past.ts";
import { PlanCache } from "./plan-cache.ts";
import {
  type AttemptAddress,
  callbackTelling,
  hear,
  type Reporter,
  type ReportOutcome,
  streamTelling,
  type TellingFor,
} from "./reporting.ts";
import { wakeTelling } from "./waking.ts";
import { RunCache } from "./run-cache.ts";
import { type Outcome, RunQueue, type Waiting } from "./run-queue.ts";
import {
  type Launch,
  type LaunchOutcome,
  Overloaded,
  type RunView,
  type Runtime,
  type RuntimeFigures,
  type TellOutcome,
} from "./runtime.ts";
import { Sweeper } from "./sweeper.ts";

/** Batches that may be on their way to the database at once: one is decided while another is written. */
const LANES = 2;
const QUEUED_INPUTS_MAX = 20_000;
const DRAIN_MS = 5_000;

export class DurableDriver implements Runtime {
  readonly #options: DurableDriverOptions;
  readonly #lease: Lease;
  readonly #queue = new RunQueue();
  readonly #plans: PlanCache;
  readonly #cache: RunCache;
  readonly #attempts: Attempts;
  readonly #deadlines: Deadlines;
  readonly #committer: Committer;
  readonly #sweeper: Sweeper;
  readonly #listeners = new Set<(runId: string, events: readonly RunEvent[]) => void>();
  #activeLanes = 0;
  #isStopping = false;

  constructor(options: DurableDriverOptions) {
    const { store, adapters, clock, monotonic, judge, isUnavailable, onTrouble, redactor, remote } = options;
    this.#options = options;
    this.#lease = new Lease(`rep_${randomBytes(8).toString("hex")}`, store, monotonic);
    this.#plans = new PlanCache(store);
    this.#cache = new RunCache(store, this.#plans, (live, open) => this.#resendOwn(live, open));
    this.#attempts = new Attempts({
      adapters,
      clock,
      ...(redactor === undefined ? {} : { redactor }),
      ...(remote === undefined ? {} : { remote }),
      note: (runId, told, done) => this.#note(runId, told, done),
      ended: ({ orgId, gatewayId, ...address }, body) =>
        this.report({ orgId, gatewayId }, address, body).catch((error: unknown) =>
          onTrouble(`what the Bridge said of ${address.runId} was not taken`, error),
        ),
    });
    this.#deadlines = new Deadlines(clock, (runId, timer) => this.#note(runId, { type: "timer", timer }));
    this.#committer = new Committer({
      store,
      cache: this.#cache,
      queue: this.#queue,
      judge,
      replicaId: this.#lease.replicaId,
      now: () => clock.now(),
      jitter: options.jitter ?? Math.random,
      isUnavailable,
      sleep: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
      onCommitted: (committed) => this.#afterCommit(committed),
      onParked: (runId, error) => parkAloud(store, runId, clock.now(), error, onTrouble),
    });
    judge.onWake?.(({ runId, nodeId }, heard) => this.#note(runId, wakeTelling(nodeId), heard));
    this.#sweeper = new Sweeper({
      store,
      clock,
      lease: this.#lease,
      knows: (runId, timer) => this.#deadlines.has(runId, timer),
      tell: (runId, timer) => this.#tellFound(runId, timer),
      onTrouble,
    });
  }

  async start(): Promise<void> {
    await this.#lease.register(this.#options.supersedesAll);
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#sweeper.stop();
    this.#deadlines.stop();
    const { clock } = this.#options;
    const until = clock.now() + DRAIN_MS;
    const isBusy = (): boolean => this.#activeLanes > 0 || this.#queue.size > 0 || this.#attempts.hereCount > 0;
    while (isBusy() && clock.now() < until) await new Promise<void>((resolve) => clock.after(20, resolve));
    await this.#lease.retire();
    this.#attempts.close();
  }

  async launch(launch: Launch): Promise<LaunchOutcome> {
    this.#refuseWhenFull();
    const plan = await this.#plans.get(launch.orgId, launch.definitionHash);
    if (plan === undefined) return refused("unknown_definition", "the definition is not in the store");
    const carried = await carriedFor(this, launch);
    if (carried === null) return refused("unknown_source", "the run to start from is not there");
    const live = createLive(launch, plan, this.#options.clock.now());
    const outcome = await this.#push(live.state.runId, startOf(launch, carried), live);
    if (outcome.kind === "committed") return { kind: "started", run: outcome.live.run };
    if (outcome.kind === "failed" && outcome.error instanceof DuplicateRun)
      return repeated(this.#options.store, launch, outcome.error);
    throw outcome.kind === "failed" ? outcome.error : new Error(`the run ${live.state.runId} is gone`);
  }

  async tell(orgId: string, runId: string, told: Told): Promise<TellOutcome | undefined> {
    this.#refuseWhenFull();
    // Checked before it is queued: another organisation's run must not even be advanced.
    const run = await this.#options.store.getRun(orgId, runId);
    if (run === undefined) return undefined;
    const outcome = await this.#push(runId, told);
    if (outcome.kind === "unknown") return undefined;
    if (outcome.kind === "failed") throw outcome.error;
    const { live, refusal } = outcome;
    return { run: live.run, ...(refusal === undefined ? {} : { refusal }) };
  }

  async report(reporter: Reporter, address: AttemptAddress, body: CallbackBody): Promise<ReportOutcome> {
    const at = this.#options.clock.now();
    return this.#hear(address.runId, (judged) => callbackTelling(reporter, address, body, at, judged));
  }

  async stream(reporter: Reporter, address: AttemptAddress, deltas: StreamInput["deltas"]): Promise<ReportOutcome> {
    return this.#hear(address.runId, (judged) => streamTelling(reporter, address, deltas, judged));
  }

  #hear(runId: string, tellingFor: TellingFor): Promise<ReportOutcome> {
    this.#refuseWhenFull();
    return this.#tellNewest(runId, tellingFor);
  }

  #tellNewest(runId: string, tellingFor: TellingFor): Promise<ReportOutcome> {
    return hear(
      tellingFor,
      (told) => this.#push(runId, told),
      () => this.#cache.dropIfStale(runId),
    );
  }

  async stateOf(orgId: string, runId: string): Promise<RunView | undefined> {
    await this.#cache.dropIfStale(runId);
    const outcome = await this.#push(runId, null);
    if (outcome.kind === "failed") throw outcome.error;
    if (outcome.kind === "unknown" || outcome.live.run.orgId !== orgId) return undefined;
    return { run: outcome.live.run, state: outcome.live.state };
  }

  stateAt(orgId: string, runId: string, eventId: number): Promise<RunView | null | undefined> {
    return stateAt(this.#options.store, this.#plans, { orgId, runId, eventId });
  }

  planOf(orgId: string, definitionHash: string): Promise<Plan | undefined> {
    return this.#plans.get(orgId, definitionHash);
  }

  onCommitted(listener: (runId: string, events: readonly RunEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  figures(): RuntimeFigures {
    return {
      replicaId: this.#lease.replicaId,
      queuedInputs: this.#queue.size,
      cachedRuns: this.#cache.size,
      openDispatches: this.#attempts.openCount,
      ...this.#committer.figures,
    };
  }

  #refuseWhenFull(): void {
    if (this.#isStopping) throw new Overloaded(2_000);
    if (this.#queue.size >= QUEUED_INPUTS_MAX) throw new Overloaded(1_000);
  }

  #push(runId: string, told: Waiting["told"], fresh: LiveRun | null = null): Promise<Outcome> {
    return new Promise((done) => {
      this.#queue.push(runId, { told, done }, fresh);
      this.#wakeLanes();
    });
  }

  /** From inside: adapters and deadlines wait for nobody's answer. */
  #note(runId: string, told: Waiting["told"], done: () => void = () => undefined): void {
    this.#queue.push(runId, { told, done });
    this.#wakeLanes();
  }

  /** Found in the database: what memory has of the run may be older than that, and would not know what is meant. */
  #tellFound(runId: string, timer: Timer): void {
    const telling =
      timer.kind === "lost" ? this.#attempts.lost(timer) : () => ({ told: { type: "timer", timer } as const });
    this.#tellNewest(runId, () => telling).catch((error: unknown) =>
      this.#options.onTrouble(`run ${runId} was not told what is due`, error),
    );
  }

  #wakeLanes(): void {
    if (this.#activeLanes >= LANES || !this.#queue.hasReady) return;
    this.#activeLanes += 1;
    // After the present burst of callbacks, so that what arrives together is committed together.
    setImmediate(() => void this.#work());
  }

  async #work(): Promise<void> {
    try {
      while (await this.#committer.step());
    } catch (error) {
      this.#options.onTrouble("a batch failed", error);
    } finally {
      this.#activeLanes -= 1;
      this.#wakeLanes();
    }
  }

  #afterCommit({ live, events, effects, toldTimers }: Committed): void {
    const { runId } = live.state;
    for (const timer of toldTimers) this.#deadlines.clear(runId, timer);
    for (const event of events) this.#clearDeadlines(runId, event);
    if (isTerminal(live.state.status)) for (const timer of live.timers.values()) this.#deadlines.clear(runId, timer);
    for (const effect of effects) this.#perform(live, effect);
    for (const listener of this.#listeners) listener(runId, events);
  }

  #clearDeadlines(runId: string, event: RunEvent): void {
    const ended = endedAttempt(event);
    if (ended === undefined) return;
    this.#deadlines.clear(runId, { kind: "attempt", ...ended });
    this.#attempts.forget(`${runId}/${ended.nodeId}/${ended.attempt}`);
  }

  #perform(live: LiveRun, effect: Effect): void {
    switch (effect.type) {
      case "dispatch":
        return this.#send(live, effect);
      case "cancel-dispatch":
        return this.#attempts.cancel(live, effect);
      case "set-timer":
        return this.#deadlines.set(live.state.runId, effect.timer, effect.dueAt);
      default:
        // Approvals are rows of the same commit; what to notify of is in the events.
        return;
    }
  }

  #send(live: LiveRun, dispatch: Dispatch): void {
    // Without the lease another replica sends it; sending too would be a second execution. Nor is anything begun while
    // stopping: whoever comes next finds the attempt open.
    if (!this.#lease.isHeld || this.#isStopping) return;
    this.#attempts.send(live, dispatch);
  }

  /** A loaded run may hold attempts we own and never sent: a commit whose answer was lost. */
  #resendOwn(live: LiveRun, open: readonly OpenAttempt[]): void {
    const { runId } = live.state;
    for (const { nodeId, attempt, replicaId, deadlineAt } of open) {
      const timer: Timer = { kind: "attempt", nodeId, attempt };
      if (deadlineAt !== null) this.#deadlines.set(runId, timer, deadlineAt);
      const dispatchId = `${runId}/${nodeId}/${attempt}`;
      if (replicaId !== this.#lease.replicaId || this.#attempts.isOpen(dispatchId)) continue;
      this.#note(runId, this.#attempts.lost({ kind: "lost", nodeId, attempt }));
    }
  }
}
