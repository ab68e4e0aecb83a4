import type { Clock, Stop } from "../clock/index.ts";
import { getOwn } from "../core/base/index.ts";
import type { Report, RequestRoundVerdict, RequestToolVerdict, RequestVerdict } from "../core/engine/index.ts";
import {
  type Agent,
  creditsFor,
  judgeDispatch,
  type ChargeableUsage,
  nodeRateOf,
  ORGANISATION_COUNTER,
  type OrganisationLimits,
  rateWindowOf,
} from "../core/governance/index.ts";
import type { GatewayDirectory } from "../gateway/index.ts";
import type { AgentMemoryStore, GovernanceStore, LedgerChange, Reservation, WaitingStore } from "../store/index.ts";
import { type BookedCost, bookedCost } from "./booked-cost.ts";
import { admissionOf, settlementOf } from "./booking.ts";
import { BudgetWatch } from "./budget-watch.ts";
import { contradicted } from "./contradiction.ts";
import { type Gathered, gatherFacts, planNodeOf } from "./facts.ts";
import { instructed } from "./instructing.ts";
import { Memories } from "./memories.ts";
import type {
  AboutRun,
  AdmittedAttempt,
  Admission,
  Changes,
  Judge,
  JudgedReplica,
  PricedCall,
  QueuePlace,
  Ruling,
} from "./judge.ts";
import { nodeCallAudit, takeCall } from "./node-call.ts";
import { type PlacedRun, placementOf } from "./placement.ts";
import { isPausedIn } from "./registered.ts";
import type { RegisteredCache } from "./registered-cache.ts";
import { LaunchJudge } from "./launch-judge.ts";
import type { OrganisationUse } from "./organisation-use.ts";
import { ruleOnRound, ruleOnTool } from "./rule-on-turn.ts";
import { Tallies } from "./tallies.ts";
import type { Tally } from "./tally.ts";
import type { TurnScene } from "./tool-facts.ts";
import type { RoundRulingResult, ToolRulingResult } from "./turn-ruling.ts";
import { recordOf, routingAudit, verdictOf } from "./verdict.ts";
import type { WorkerPresence } from "./worker-route.ts";
import { WaitingNodes } from "./waiting-nodes.ts";

export interface GovernorOptions {
  readonly store: GovernanceStore & WaitingStore & Pick<AgentMemoryStore, "readMemories">;
  readonly directory: GatewayDirectory;
  readonly registered: RegisteredCache;
  readonly clock: Clock;
  readonly workers?: WorkerPresence | null;
  readonly use: OrganisationUse;
  /** True when no other process can change the counters. */
  readonly isAlone: boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const REFRESH_MS = 1_000;
const SWEEP_EVERY = 5;

/** Judges every node by the gates, and counts slots, spending and waiting nodes. */
export class Governor implements Judge {
  readonly #options: GovernorOptions;
  readonly #tallies: Tallies;
  readonly #waiting: WaitingNodes;
  readonly #watch: BudgetWatch;
  readonly memories: Memories;
  /** Judges launches by the launch gates. */
  readonly launches: LaunchJudge;
  readonly countsBlocks = true;
  #stop: Stop | null = null;
  #isStopped = false;
  #rounds = 0;
  #loading: Promise<void> = Promise.resolve();

  constructor(options: GovernorOptions) {
    this.#options = options;
    this.#tallies = new Tallies(options);
    this.#watch = new BudgetWatch(options.store);
    this.memories = new Memories(options.store);
    const { store, registered, clock, workers = null, use, onTrouble } = options;
    const limitsOf = (orgId: string): OrganisationLimits => use.limitsOf(orgId);
    const tallyOf = (orgId: string): Tally => this.#tally(orgId);
    const prepareAll = (orgIds: ReadonlySet<string>): Promise<void> | undefined => this.prepare(orgIds);
    const shared = { store, registered, clock, workers, onTrouble };
    this.#waiting = new WaitingNodes({ ...shared, tallyOf, limitsOf, prepare: prepareAll });
    const reload = (orgId: string): Promise<void> => this.reload(orgId);
    this.launches = new LaunchJudge({ ...options, tallyOf, prepare: prepareAll, reload });
    workers?.onAvailable(() => this.#waiting.wakeForWorkers());
  }

  attach(replica: JudgedReplica): void {
    this.#waiting.attach(replica);
  }

  start(): void {
    if (this.#isStopped) return;
    this.#stop = this.#options.clock.after(REFRESH_MS, () => void this.#refresh());
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop?.();
    this.#waiting.stop();
  }

  prepare(orgIds: ReadonlySet<string>): Promise<void> | undefined {
    let isReady = true;
    for (const orgId of orgIds) {
      this.#tallies.use(orgId);
      isReady &&= this.#isReady(orgId);
    }
    return isReady ? undefined : this.#loadNext(orgIds);
  }

  agentsOf(orgId: string): ReadonlyMap<string, Agent> {
    return this.#options.registered.of(orgId).agents;
  }

  isPaused(orgId: string, workflow: string): boolean {
    return isPausedIn(this.#options.registered.of(orgId), workflow);
  }

  hasWaiting(orgId: string): boolean {
    return this.#waiting.room.isUsedBy(orgId);
  }

  decide(request: RequestVerdict, about: AboutRun): Ruling {
    const tally = this.#tally(about.orgId);
    const registered = this.#options.registered.of(about.orgId);
    const gateways = this.#options.directory.of(about.orgId);
    const { workers = null } = this.#options;
    const organisation = this.#options.use.limitsOf(about.orgId);
    const scene = { request, about, registered, gateways, tally, waiting: this.#waiting.room, workers, organisation };
    const gathered = gatherFacts(scene);
    const judgement = judgeDispatch(gathered.facts);
    const instructions = instructed(judgement, gathered.facts, { request, about }, this.memories);
    const waiter = { runId: about.runId, nodeId: request.nodeId };
    const verdictId = `vrd_${about.runId}/${request.nodeId}/${about.nextEventId}`;
    if (instructions.conflicts.length > 0) {
      this.#waiting.leave(waiter);
      return contradicted({ request, about, gathered, judgement, conflicts: instructions.conflicts, verdictId });
    }
    const admission = judgement.disposition === "allow" ? this.#admit(tally, request, about, gathered) : null;
    const verdict = verdictOf(judgement, gathered, verdictId, instructions.sections);
    let place: QueuePlace | null = null;
    if (judgement.disposition === "block" && judgement.block.after === "queue") {
      place = this.#waiting.wait(waiter, about, gathered, judgement.block);
      // A node that is judged again and still has to wait is not recorded again.
      if (!place.isMoved) return { verdict, place, admission, record: null, audit: [] };
    } else if (admission !== null) this.#waiting.admit(waiter, about, gathered.facts.agentId);
    else this.#waiting.leave(waiter);
    const record = recordOf(judgement, request, gathered, about.at, verdictId);
    const audit = admission === null ? [] : routingAudit(about, request, gathered);
    const { toolCall, facts } = gathered;
    const taken = admission === null ? null : takeCall(scene, toolCall);
    const taking = taken === null ? {} : { taken };
    if (toolCall === null) return { verdict, place, admission, ...taking, record, audit };
    const entry = nodeCallAudit(about, request, toolCall, judgement, { agentId: facts.agentId, verdictId });
    return { verdict, place, admission, ...taking, record, audit: [...audit, entry] };
  }

  decideTool(request: RequestToolVerdict, about: AboutRun): ToolRulingResult {
    return ruleOnTool(this.#turnScene(request, about), request);
  }

  decideRound(request: RequestRoundVerdict, about: AboutRun, held: readonly Reservation[]): RoundRulingResult {
    return ruleOnRound(this.#turnScene(request, about), request, held);
  }

  place(orgId: string, run: PlacedRun): ReturnType<typeof placementOf> {
    return placementOf(run, this.#options.registered.of(orgId), this.#options.directory.of(orgId));
  }

  settle(about: AboutRun, attempt: AdmittedAttempt, costMicros: number): readonly LedgerChange[] {
    return settlementOf(this.#options.registered.of(about.orgId), about, attempt, costMicros);
  }

  /** Returns the cost to book, computed with the price of the estimate. */
  price(about: AboutRun, nodeId: string, call: PricedCall, report: Report): BookedCost | null {
    const { registered, directory } = this.#options;
    const { models } = registered.of(about.orgId);
    const gateway = call.gatewayId === null ? undefined : directory.find(about.orgId, call.gatewayId);
    const ofAdapter = getOwn(gateway?.models ?? {}, call.provider ?? "")?.prices;
    const estimatedCostMicros = planNodeOf({ request: { nodeId }, about })?.request.estimatedCostMicros ?? null;
    const { provider, model, startedAt } = call;
    return bookedCost({ models, ofAdapter }, { provider, model, startedAt, estimatedCostMicros, report });
  }

  creditsOf({ orgId }: AboutRun, spent: ChargeableUsage): number | null {
    return creditsFor(this.#options.registered.of(orgId).creditPlans, spent);
  }

  memoryOf({ orgId }: AboutRun, agentId: string): string | null {
    return this.#options.registered.of(orgId).agents.get(agentId)?.memoryProfile?.name ?? null;
  }

  committed(orgId: string, changes: Changes): void {
    // A tally that was evicted is read again before use, and then includes these changes.
    this.#tallies.all.get(orgId)?.commit(changes);
    this.memories.add(orgId, changes.memories);
    this.#waiting.committed(orgId, changes);
  }

  dropped(orgId: string, { taken, takenInTurns = [] }: Pick<Changes, "taken" | "takenInTurns">): void {
    for (const taking of takenInTurns) this.#tally(orgId).undoTurnAdmission(taking);
    for (const admission of taken) {
      this.#tally(orgId).undoAdmission(admission);
      this.#waiting.room.restore(admission);
    }
  }

  reload(orgId: string): Promise<void> {
    return this.#tallies.reload(orgId);
  }

  /** Returns how many nodes of the organisation were dispatched in the last second; 0 without a limit, since then none are counted. */
  nodesOf(orgId: string): number {
    const rate = nodeRateOf(this.#options.use.limitsOf(orgId));
    const { clock } = this.#options;
    if (rate === null) return 0;
    return this.#tally(orgId).windowOf(ORGANISATION_COUNTER, rateWindowOf(rate), clock.now()).used;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  #isReady(orgId: string): boolean {
    const { directory, registered, workers } = this.#options;
    const isKnown = this.#tallies.has(orgId) && directory.knows(orgId) && registered.knows(orgId);
    return isKnown && workers?.knows(orgId) !== false && this.memories.isReady(orgId, registered.of(orgId));
  }

  /** Loads one after the other. When many runs start at once, the first load reads the data and the others reuse it. */
  #loadNext(orgIds: ReadonlySet<string>): Promise<void> {
    return (this.#loading = this.#loading.catch(() => undefined).then(() => this.#load(orgIds)));
  }

  async #load(orgIds: ReadonlySet<string>): Promise<void> {
    const { directory, registered, workers } = this.#options;
    await workers?.ensure(orgIds);
    await directory.ensure(orgIds);
    await registered.ensure(orgIds);
    for (const orgId of orgIds) {
      if (!this.#tallies.has(orgId)) await this.reload(orgId);
      await this.memories.ensure(orgId, registered.of(orgId));
    }
  }

  #tally(orgId: string): Tally {
    return this.#tallies.of(orgId);
  }

  #admit(tally: Tally, { nodeId }: RequestVerdict, about: AboutRun, { facts }: Gathered): Admission {
    const { orgId, runId, at, parallel } = about;
    const registered = this.#options.registered.of(orgId);
    const admission = admissionOf(registered, { runId, nodeId, parallel }, facts, tally.hitAt(facts.agentId, at));
    tally.take(admission);
    return admission;
  }

  #turnScene({ route }: Pick<RequestToolVerdict, "route">, about: AboutRun): TurnScene {
    const { registered, directory } = this.#options;
    const { orgId } = about;
    const gateway = route.gatewayId === null ? undefined : directory.find(orgId, route.gatewayId);
    return { about, registered: registered.of(orgId), gateway, tally: this.#tally(orgId) };
  }

  /** Reads changes made by other processes. */
  async #refresh(): Promise<void> {
    const { registered, clock, isAlone, onTrouble } = this.#options;
    try {
      this.#rounds += 1;
      const isSweep = this.#rounds % SWEEP_EVERY === 1;
      // Also when no other replica counts: a counter read during a commit may miss that commit or contain it twice.
      this.#tallies.forgetIdle(this.#waiting.organisations());
      if (!isAlone || isSweep) await this.#tallies.reloadAll();
      await this.#waiting.refresh();
      await this.#watch.checkAll(this.#tallies.all, registered, clock.now());
      if (isSweep) await this.memories.refreshAll(registered);
    } catch (error) {
      onTrouble("what is counted could not be read", error);
    }
    this.start();
  }
}
