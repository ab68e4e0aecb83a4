import type { CallbackBody } from "../../bridge/index.ts";
import {
  type BoundRequest,
  type Effect,
  type StreamInput,
  type Timer,
  type UnstampedInput,
} from "../../core/engine/index.ts";
import { isTerminal, type RunEvent } from "../../core/event/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { OpenAttempt } from "../../store/index.ts";
import { Attempts } from "./attempts.ts";
import { Children, isOfChild, NO_CHILDREN } from "./children.ts";
import { Committer } from "./committer.ts";
import type { Committed } from "./committer-options.ts";
import { Deadlines } from "./deadlines.ts";
import type { DurableDriverOptions } from "./driver-options.ts";
import { DuplicateRun } from "./duplicate-run.ts";
import { hasEndedIn } from "./derive-commit.ts";
import { endedAttempt } from "./ended-attempt.ts";
import { Lease } from "./lease.ts";
import { type Listener, Listeners } from "./listeners.ts";
import type { LiveRun } from "./live-run.ts";
import { carriedFor, createLive, launchChild, placed, refused, repeated, startOf } from "./launch.ts";
import { parkInBackground, type Parked, putOff } from "./parking.ts";
import { Outgoing } from "./outgoing.ts";
import { requestsOf, stateAt } from "./history.ts";
import { PlanCache } from "./plan-cache.ts";
import type { AttemptAddress, Reporter, ReportOutcome } from "./attempt-report.ts";
import { resolveWake } from "./wake-timer.ts";
import { createNodeModeration } from "../moderation/index.ts";
import { Moderating } from "./moderator.ts";
import { RunCache } from "./run-cache.ts";
import { ReportIntake } from "./report-intake.ts";
import { Inbox } from "./inbox.ts";
import {
  type Launch,
  type LaunchOutcome,
  type RunView,
  type Runtime,
  type RuntimeFigures,
  type SubmitOutcome,
} from "./runtime.ts";
import { StartAdmission } from "./start-admission.ts";
import { StoreHealth } from "./store-health.ts";
import { Sweeper } from "./sweeper.ts";

const DRAIN_MS = 5_000;
/** How long a run rests that cannot be judged now. */
const UNJUDGED_MS = 1_000;

export class DurableDriver implements Runtime {
  readonly #options: DurableDriverOptions;
  readonly #lease: Lease;
  readonly #plans: PlanCache;
  readonly #cache: RunCache;
  readonly #attempts: Attempts;
  readonly #moderating: Moderating;
  readonly #deadlines: Deadlines;
  readonly #children: Children;
  readonly #health: StoreHealth;
  readonly #starts: StartAdmission;
  readonly #committer: Committer;
  readonly #inbox: Inbox;
  readonly #intake: ReportIntake;
  readonly #sweeper: Sweeper;
  readonly #listeners: Listeners;
  readonly #outgoing: Outgoing;

  constructor(options: DurableDriverOptions) {
    const { store, adapters, clock, monotonic, judge, isUnavailable, onTrouble, redactor, remote } = options;
    this.#options = options;
    this.#listeners = new Listeners(onTrouble);
    this.#lease = new Lease(store, monotonic);
    this.#inbox = new Inbox({ step: () => this.#committer.step(), onTrouble });
    this.#plans = new PlanCache(store, options.shapePlan);
    this.#cache = new RunCache(store, this.#plans, (live, attempt) => this.#watchLoaded(live, attempt));
    const moderating = (this.#moderating = new Moderating(options.moderation ?? createNodeModeration()));
    this.#intake = new ReportIntake({ inbox: this.#inbox, cache: this.#cache, moderating, now: () => clock.now() });
    this.#attempts = new Attempts({
      adapters,
      clock,
      moderating,
      ...(redactor === undefined ? {} : { redactor }),
      ...(remote === undefined ? {} : { remote }),
      note: (runId, input, done) => this.#inbox.note(runId, input, done),
      ended: ({ orgId, gatewayId, ...address }, body) =>
        this.report({ orgId, gatewayId }, address, body).catch((error: unknown) =>
          onTrouble(`what the Bridge said of ${address.runId} was not taken`, error),
        ),
    });
    this.#outgoing = new Outgoing({ lease: this.#lease, attempts: this.#attempts, cache: this.#cache });
    this.#deadlines = new Deadlines(clock, (runId, timer) =>
      isOfChild(timer) ? this.#submitFound(runId, timer) : this.#inbox.note(runId, { type: "timer", timer }),
    );
    this.#children = new Children({
      preparer: { prepare: (parent, wanted) => (options.children?.() ?? NO_CHILDREN).prepare(parent, wanted) },
      store,
      launch: (launch) => launchChild(this.#plans, this.#inbox, judge, launch, () => clock.now()),
      submit: (runId, input) => this.#intake.submitToNewest(runId, () => () => ({ input })).then(() => undefined),
      look: (runId) => this.#intake.look(runId),
      putOff: (runId, timer) => putOff(store, runId, timer, clock.now()),
      onTrouble,
    });
    const now = (): number => clock.now();
    this.#health = new StoreHealth({ isUnavailable, clock });
    this.#starts = new StartAdmission({ ...options, inbox: this.#inbox, health: this.#health, now });
    this.#committer = new Committer({
      store,
      cache: this.#cache,
      queue: this.#inbox.queue,
      judge,
      moderating,
      replicaId: () => this.#lease.replicaId,
      now: () => clock.now(),
      jitter: options.jitter ?? Math.random,
      health: this.#health,
      onCommitted: (committed, gone) => this.#afterCommit(committed, gone),
      onParked: (runId, error) => this.#park(runId, error),
      onUnfinished: (runId, error) => this.#followUp(runId, error),
      onTrouble,
      later: (putBack) => clock.after(UNJUDGED_MS, () => this.#inbox.putBack(putBack)),
    });
    judge.attach?.({
      replicaId: () => this.#lease.replicaId,
      wake: ({ runId, nodeId }, done) => this.#inbox.note(runId, resolveWake(nodeId), done),
    });
    this.#sweeper = new Sweeper({
      store,
      clock,
      lease: this.#lease,
      onLease: (renewed) => (renewed === "renewed" ? this.#outgoing.renewed() : this.#outgoing.lost()),
      knows: (runId, timer) => this.#deadlines.has(runId, timer),
      submit: (runId, timer) => this.#submitFound(runId, timer),
      onTrouble,
    });
  }

  async start(): Promise<void> {
    await this.#lease.register(this.#options.supersedesAll);
    await this.#sweeper.start();
  }

  async stop(): Promise<void> {
    this.#outgoing.close();
    this.#inbox.close();
    const swept = this.#sweeper.stop();
    this.#deadlines.stop();
    const { clock } = this.#options;
    const until = clock.now() + DRAIN_MS;
    const isBusy = (): boolean => this.#inbox.isBusy || this.#attempts.hereCount > 0;
    while (isBusy() && clock.now() < until) await new Promise<void>((resolve) => clock.after(20, resolve));
    await swept;
    await this.#lease.retire();
    this.#moderating.close();
    this.#attempts.close();
  }

  async launch(launch: Launch): Promise<LaunchOutcome> {
    await this.#starts.admit(launch.orgId);
    const plan = await this.#plans.get(launch.orgId, launch.pinnedHash ?? launch.definitionHash);
    if (plan === undefined) return refused("unknown_definition", "the definition is not in the store");
    const carried = await carriedFor(this, launch);
    if (carried === null) return refused("unknown_source", "the run to start from is not there");
    const pinned = await placed(launch, plan, this.#options.judge);
    const live = createLive(pinned, plan, this.#options.clock.now());
    const outcome = await this.#inbox.push(live.state.runId, startOf(pinned, carried), live);
    if (outcome.kind === "committed") return { kind: "started", run: outcome.live.run };
    if (outcome.kind === "failed" && outcome.error instanceof DuplicateRun)
      return repeated(this.#options.store, launch, outcome.error);
    throw outcome.kind === "failed" ? outcome.error : new Error(`the run ${live.state.runId} is gone`);
  }

  async submit(orgId: string, runId: string, input: UnstampedInput): Promise<SubmitOutcome | undefined> {
    this.#inbox.refuseWhenFull();
    // Checked before it is queued: another organisation's run must not even be advanced.
    const run = await this.#options.store.getRun(orgId, runId);
    if (run === undefined) return undefined;
    const outcome = await this.#inbox.push(runId, input);
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

  async stateOf(orgId: string, runId: string): Promise<RunView | undefined> {
    const live = await this.#intake.look(runId);
    return live === undefined || live.run.orgId !== orgId ? undefined : { run: live.run, state: live.state };
  }

  stateAt(orgId: string, runId: string, eventId: number): Promise<RunView | null | undefined> {
    return stateAt(this.#options.store, this.#plans, { orgId, runId, eventId });
  }

  requestsOf(orgId: string, runId: string, nodeId: string): Promise<ReadonlyMap<number, BoundRequest>> {
    return requestsOf(this.#options.store, this.#plans, { orgId, runId, nodeId });
  }

  planOf(orgId: string, hash: string): Promise<Plan | undefined> {
    return this.#plans.get(orgId, hash);
  }

  onCommitted(listener: Listener): () => void {
    return this.#listeners.add(listener);
  }

  figures(): RuntimeFigures {
    return {
      replicaId: this.#lease.replicaId,
      queuedInputs: this.#inbox.size,
      cachedRuns: this.#cache.size,
      cachedBytes: this.#cache.bytes,
      openDispatches: this.#attempts.openCount,
      outage: this.#health.outage,
      ...this.#committer.figures,
    };
  }

  /** Found in the database: what memory has of the run may be older than that, and would not know what is meant. */
  #submitFound(runId: string, timer: Timer): void {
    if (isOfChild(timer)) return this.#children.lookAfter(runId, timer);
    const { store, clock, onTrouble } = this.#options;
    const resolve =
      timer.kind === "lost" ? this.#attempts.lost(timer) : () => ({ input: { type: "timer", timer } as const });
    this.#intake
      .submitToNewest(runId, () => resolve)
      .catch(async (error: unknown) => {
        onTrouble(`run ${runId} was not told what is due`, error);
        if (timer.kind !== "lost" && timer.kind !== "attempt") await putOff(store, runId, timer, clock.now());
      })
      .catch((error: unknown) => onTrouble(`run ${runId} could not be left in peace`, error));
  }

  #afterCommit({ live, events, effects }: Committed, gone: readonly Timer[]): void {
    const { runId } = live.state;
    for (const timer of gone) this.#deadlines.clear(runId, timer);
    for (const event of events) this.#clearDeadlines(runId, event);
    for (const effect of effects) this.#perform(live, effect);
    if (isTerminal(live.state.status) && events.length > 0) this.#children.ended(live, !hasEndedIn(events));
    this.#listeners.notify(runId, events);
  }

  /** What a commit left to be done is found when the run is loaded. */
  #followUp(runId: string, error: unknown): void {
    this.#options.onTrouble(`what followed from a commit of run ${runId} is done again`, error);
    this.#inbox.note(runId, null);
  }

  #park(runId: string, error: unknown): void {
    const { store, judge, clock, onTrouble, onStruck } = this.#options;
    const now = (): number => clock.now();
    const input = onStruck ?? ((id: string, bug: unknown) => onTrouble(`run ${id} is parked`, bug));
    const onParked = (parked: Parked): void => this.#afterParking(parked);
    parkInBackground({ store, health: this.#health, judge, now, onStruck: input, onParked, onTrouble }, runId, error);
  }

  #afterParking({ runId, events, closed, parentTimer, children }: Parked): void {
    for (const { nodeId, attempt } of closed) this.#attempts.abandon(`${runId}/${nodeId}/${attempt}`);
    for (const childRunId of children) this.#children.abandon(childRunId);
    if (parentTimer !== null) this.#submitFound(parentTimer.runId, parentTimer.timer);
    this.#listeners.notify(runId, events);
  }

  #clearDeadlines(runId: string, event: RunEvent): void {
    const ended = endedAttempt(event);
    if (ended === undefined) return;
    this.#deadlines.clear(runId, { kind: "attempt", ...ended });
    this.#attempts.forget(`${runId}/${ended.nodeId}/${ended.attempt}`);
  }

  /** A loaded run may hold attempts of this replica that were never sent: a commit whose answer was lost. */
  #watchLoaded({ state: { runId } }: LiveRun, { nodeId, attempt, replicaId, deadlineAt }: OpenAttempt): void {
    if (deadlineAt !== null) this.#deadlines.set(runId, { kind: "attempt", nodeId, attempt }, deadlineAt);
    if (replicaId !== this.#lease.replicaId || this.#attempts.isOpen(`${runId}/${nodeId}/${attempt}`)) return;
    this.#inbox.note(runId, this.#attempts.lost({ kind: "lost", nodeId, attempt }));
  }

  #perform(live: LiveRun, effect: Effect): void {
    switch (effect.type) {
      case "dispatch":
        return this.#outgoing.send(live, effect);
      case "cancel-dispatch":
        return this.#attempts.cancel(live, effect);
      case "start-child":
        return this.#children.start(live, effect);
      case "cancel-child":
        return this.#children.cancel(live, effect);
      case "set-timer":
        return this.#deadlines.set(live.state.runId, effect.timer, effect.dueAt);
      default:
        // Approvals are rows of the same commit; what to notify of is in the events.
        return;
    }
  }
}
