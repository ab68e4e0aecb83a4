import type { Clock, Stop } from "../clock/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import { creditsFor, judgeDispatch, type Judgement, rateWindowOf, type Spent } from "../core/governance/index.ts";
import type { GatewayDirectory } from "../gateway/index.ts";
import type { AgentMemoryStore, GovernanceStore, LedgerChange } from "../store/index.ts";
import { admissionOf, settlementOf } from "./booking.ts";
import { BudgetWatch } from "./budget-watch.ts";
import { contradicted } from "./contradiction.ts";
import { agentKey, type Gathered, gatherFacts } from "./facts.ts";
import { instructed } from "./instructing.ts";
import { Memories } from "./memories.ts";
import type { AboutRun, AdmittedAttempt, Admission, Changes, Judge, PricedCall, Ruling } from "./judge.ts";
import { PausedNodes, roomIn } from "./paused-nodes.ts";
import { type PlacedRun, placementOf } from "./placement.ts";
import { priceOf } from "./price-of.ts";
import type { RegisteredCache } from "./registered-cache.ts";
import { judgeLaunchOf, type LaunchWish, StartWindows } from "./launch.ts";
import { Tally } from "./tally.ts";
import { recordOf, routingAudit, verdictOf } from "./verdict.ts";
import { type Call, type Waiter, WaitingRoom } from "./waiting-room.ts";
import { WindowAlarms } from "./window-alarms.ts";

export interface GovernorOptions {
  readonly store: GovernanceStore & Pick<AgentMemoryStore, "readMemories">;
  readonly directory: GatewayDirectory;
  readonly registered: RegisteredCache;
  readonly clock: Clock;
  /** Runs a key may start; null: as many as it likes. */
  readonly startRate: { readonly count: number; readonly perSeconds: number } | null;
  /** True where no other process can change what is counted. */
  readonly isAlone: boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const REFRESH_MS = 1_000;
const SWEEP_EVERY = 5;
const WAITING_PAGE = 500;
/** The longest period there is, and a day for those who read around its border. */
const COUNTED_MS = 33 * 24 * 3_600_000;

/** Judges every node by the gates, and keeps count of what is taken, spent and waited for. */
export class Governor implements Judge {
  readonly #options: GovernorOptions;
  readonly #tallies = new Map<string, Tally>();
  readonly #waiting = new WaitingRoom();
  readonly #paused = new PausedNodes();
  readonly #starts: StartWindows;
  readonly #watch: BudgetWatch;
  readonly #alarms: WindowAlarms;
  readonly memories: Memories;
  #wake: (waiter: Waiter, heard: () => void) => void = () => undefined;
  #stop: Stop | null = null;
  #isStopped = false;
  #rounds = 0;
  #loading: Promise<void> = Promise.resolve();

  constructor(options: GovernorOptions) {
    this.#options = options;
    this.#starts = new StartWindows(options.startRate);
    this.#watch = new BudgetWatch(options.store);
    this.#alarms = new WindowAlarms(options.clock);
    this.memories = new Memories(options.store);
  }

  /** May this run be created? What is asked before it exists. */
  async judgeLaunch(orgId: string, wish: LaunchWish): Promise<Judgement> {
    await this.prepare(new Set([orgId]));
    const judgement = this.#look(orgId, wish);
    if (judgement.disposition === "allow") this.#starts.count(wish.keyId, this.#options.clock.now());
    return judgement;
  }

  /** The same, but nobody is about to start it: it does not count as a start. */
  async lookAtLaunch(orgId: string, wish: LaunchWish): Promise<Judgement> {
    await this.prepare(new Set([orgId]));
    return this.#look(orgId, wish);
  }

  #look(orgId: string, wish: LaunchWish): Judgement {
    const { registered, directory, clock } = this.#options;
    const at = clock.now();
    return judgeLaunchOf(wish, {
      at,
      registered: registered.of(orgId),
      gateways: directory.of(orgId),
      tally: this.#tally(orgId),
      rate: this.#starts.look(wish.keyId, at),
    });
  }

  onWake(wake: (waiter: Waiter, heard: () => void) => void): void {
    this.#wake = wake;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#stop = this.#options.clock.after(REFRESH_MS, () => void this.#refresh());
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop?.();
    this.#alarms.stop();
  }

  prepare(orgIds: ReadonlySet<string>): Promise<void> | undefined {
    for (const orgId of orgIds) if (!this.#isReady(orgId)) return this.#loadNext(orgIds);
    return undefined;
  }

  decide(request: RequestVerdict, about: AboutRun): Ruling {
    const tally = this.#tally(about.orgId);
    const registered = this.#options.registered.of(about.orgId);
    const gateways = this.#options.directory.of(about.orgId);
    const gathered = gatherFacts({ request, about, registered, gateways, tally, waiting: this.#waiting });
    const judgement = judgeDispatch(gathered.facts);
    const told = instructed(judgement, gathered.facts, { request, about }, this.memories);
    const key = agentKey(about.orgId, gathered.facts.agentId);
    const waiter = { runId: about.runId, nodeId: request.nodeId };
    const wasWaiting = this.#waiting.has(key, waiter);
    const wasPaused = this.#paused.isAnywhere(waiter);
    this.#paused.leave(waiter);
    const verdictId = `vrd_${about.runId}/${request.nodeId}/${about.nextEventId}`;
    if (told.conflicts.length > 0) {
      this.#waiting.leave(waiter);
      return contradicted({ request, about, gathered, judgement, conflicts: told.conflicts, verdictId });
    }
    const admission = judgement.disposition === "allow" ? this.#admit(tally, request, about, gathered) : null;
    const verdict = verdictOf(judgement, gathered, verdictId, told.sections);
    const pausedBy = judgement.disposition === "block" ? judgement.block.pausedBy : undefined;
    if (pausedBy !== undefined) {
      this.#waiting.leave(waiter);
      this.#paused.enter(about.orgId, pausedBy, { waiter, estimateMicros: gathered.facts.estimateMicros });
      if (wasPaused) return { verdict, admission, record: null, audit: [] };
    } else if (judgement.disposition === "block" && judgement.block.after === "queue") {
      this.#waiting.enter(key, waiter);
      const { until } = judgement.block;
      if (until !== undefined) this.#setAlarm(about.orgId, gathered.facts.agentId, until);
      // A node that is asked again and waits on is no news.
      if (wasWaiting) return { verdict, admission, record: null, audit: [] };
    } else if (admission !== null) this.#waiting.serve(key, waiter);
    else this.#waiting.leave(waiter);
    const record = recordOf(judgement, request, gathered, about.at, verdictId);
    return { verdict, admission, record, audit: admission === null ? [] : routingAudit(about, request, gathered) };
  }

  place(orgId: string, run: PlacedRun): ReturnType<typeof placementOf> {
    return placementOf(run, this.#options.registered.of(orgId), this.#options.directory.of(orgId));
  }

  settle(about: AboutRun, attempt: AdmittedAttempt, costMicros: number): readonly LedgerChange[] {
    return settlementOf(this.#options.registered.of(about.orgId), about, attempt, costMicros);
  }

  /** The price the estimate was made with: what is registered wins, else the list as it was at that moment. */
  priceIdOf({ orgId }: AboutRun, { provider, model, startedAt }: PricedCall): string | null {
    return priceOf(this.#options.registered.of(orgId).models, provider, model, startedAt)?.id ?? null;
  }

  creditsOf({ orgId }: AboutRun, spent: Spent): number | null {
    return creditsFor(this.#options.registered.of(orgId).creditPlans, spent);
  }

  memoryOf({ orgId }: AboutRun, agentId: string): string | null {
    return this.#options.registered.of(orgId).agents.get(agentId)?.memoryProfile?.name ?? null;
  }

  committed(orgId: string, changes: Changes): void {
    const { runId, settled, taken, slots } = changes;
    this.#tally(orgId).commit(changes);
    this.memories.add(orgId, changes.memories);
    for (const waiter of taken) this.#waiting.leave(waiter);
    for (const nodeId of settled) {
      this.#waiting.leave({ runId, nodeId });
      this.#paused.leave({ runId, nodeId });
    }
    for (const { agentId, delta } of slots) if (delta < 0) this.#wakeFor(orgId, agentId);
  }

  dropped(orgId: string, { taken }: Pick<Changes, "taken">): void {
    for (const admission of taken) {
      this.#tally(orgId).giveBack(admission);
      this.#waiting.restore(admission);
    }
  }

  async reload(orgId: string): Promise<void> {
    const { store, clock } = this.#options;
    // Read first: a tally that is there counts as loaded.
    const counters = await store.readCounters(orgId, clock.now() - COUNTED_MS);
    this.#tally(orgId).load(counters);
  }

  get waitingCount(): number {
    return this.#waiting.size + this.#paused.size;
  }

  #isReady(orgId: string): boolean {
    const { directory, registered } = this.#options;
    const isKnown = this.#tallies.has(orgId) && directory.knows(orgId) && registered.knows(orgId);
    return isKnown && this.memories.isReady(orgId, registered.of(orgId));
  }

  /** One after the other: of many that start at once the first reads, and the others find what it has read. */
  #loadNext(orgIds: ReadonlySet<string>): Promise<void> {
    return (this.#loading = this.#loading.catch(() => undefined).then(() => this.#load(orgIds)));
  }

  async #load(orgIds: ReadonlySet<string>): Promise<void> {
    const { directory, registered } = this.#options;
    await directory.ensure(orgIds);
    await registered.ensure(orgIds);
    for (const orgId of orgIds) {
      if (!this.#tallies.has(orgId)) await this.reload(orgId);
      await this.memories.ensure(orgId, registered.of(orgId));
    }
  }

  #tally(orgId: string): Tally {
    let tally = this.#tallies.get(orgId);
    if (tally === undefined) this.#tallies.set(orgId, (tally = new Tally()));
    return tally;
  }

  #admit(tally: Tally, { nodeId }: RequestVerdict, { orgId, runId, at }: AboutRun, { facts }: Gathered): Admission {
    const registered = this.#options.registered.of(orgId);
    const admission = admissionOf(registered, { runId, nodeId }, facts, tally.hitAt(facts.agentId, at));
    tally.take(admission);
    return admission;
  }

  #setAlarm(orgId: string, agentId: string, dueAt: number): void {
    this.#alarms.set(agentKey(orgId, agentId), dueAt, () => this.#wakeFor(orgId, agentId));
  }

  /** Whoever waits longest is asked first, one for each slot and place in the window that is free. */
  #wakeFor(orgId: string, agentId: string): void {
    if (!this.#waiting.hasAny(agentKey(orgId, agentId))) return;
    const agent = this.#options.registered.of(orgId).agents.get(agentId);
    const at = this.#options.clock.now();
    let free = (agent?.maxConcurrent ?? 1) - this.#tally(orgId).openOf(agentId);
    if (agent !== undefined && agent.rateLimit !== null) {
      const { used, freesAt } = this.#tally(orgId).windowOf(agentId, rateWindowOf(agent.rateLimit), at);
      free = Math.min(free, agent.rateLimit.count - used);
      if (freesAt !== null) this.#setAlarm(orgId, agentId, freesAt);
    }
    if (free <= 0) return;
    for (const call of this.#waiting.wake(agentKey(orgId, agentId), free, at)) {
      this.#wake(call.waiter, () => this.#heard(orgId, agentId, call));
    }
  }

  /** Whoever came and went, or never came, leaves what was free for it to the next. */
  #heard(orgId: string, agentId: string, call: Call): void {
    if (this.#waiting.answered(call)) this.#wakeFor(orgId, agentId);
  }

  /** What other processes changed, and whoever waits without anybody here knowing of it. */
  async #refresh(): Promise<void> {
    const { registered, clock, isAlone, onTrouble } = this.#options;
    try {
      this.#rounds += 1;
      const isSweep = this.#rounds % SWEEP_EVERY === 1;
      // Alone nobody else counts, but a count read while a commit was under way may miss it, or have it twice.
      if (!isAlone || isSweep) for (const orgId of this.#tallies.keys()) await this.reload(orgId);
      for (const key of this.#waiting.agents()) {
        const slash = key.indexOf("/");
        this.#wakeFor(key.slice(0, slash), key.slice(slash + 1));
      }
      this.#wakePaused();
      await this.#watch.lookAll(this.#tallies, registered, clock.now());
      if (isSweep) await this.#sweep();
    } catch (error) {
      onTrouble("what is counted could not be read", error);
    }
    this.start();
  }

  /** A new period, a higher ceiling, money given back, here or elsewhere: all of it shows in what is counted. */
  #wakePaused(): void {
    const { registered, clock } = this.#options;
    const at = clock.now();
    const woken = this.#paused.release((orgId, budgetId) => {
      const budget = registered.of(orgId).budgets.find(({ id }) => id === budgetId);
      return roomIn(budget, this.#tally(orgId), at);
    });
    for (const waiter of woken) this.#wake(waiter, () => undefined);
  }

  /** What others remember; and beyond those who wait here: however many they are, they hide nobody. */
  async #sweep(): Promise<void> {
    await this.memories.refreshAll(this.#options.registered);
    for (const { runId, nodeId } of await this.#options.store.listWaiting(this.waitingCount + WAITING_PAGE)) {
      const waiter = { runId, nodeId };
      const isHere = this.#waiting.isAnywhere(waiter) || this.#paused.isAnywhere(waiter);
      if (!isHere) this.#wake(waiter, () => undefined);
    }
  }
}
