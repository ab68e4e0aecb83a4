import type { Clock } from "../clock/index.ts";
import {
  type GateBlock,
  nodeRateOf,
  ORGANISATION_COUNTER,
  type OrganisationLimits,
  rateWindowOf,
} from "../core/governance/index.ts";
import { runCounter, type WaitingNode, type WaitingQueue, type WaitingStore } from "../store/index.ts";
import type { Call, Waiter } from "./agent-queue.ts";
import { Backlog } from "./backlog.ts";
import { agentKey, type Gathered, rankOf } from "./facts.ts";
import type { AboutRun, Changes, JudgedReplica, QueuePlace } from "./judge.ts";
import { PausedNodes, roomIn } from "./paused-nodes.ts";
import type { RegisteredCache } from "./registered-cache.ts";
import type { WorkerPresence } from "./worker-route.ts";
import type { Tally } from "./tally.ts";
import { WaitingRoom } from "./waiting-room.ts";
import { WindowAlarms } from "./window-alarms.ts";

export interface WaitingNodesOptions {
  readonly store: WaitingStore;
  readonly registered: RegisteredCache;
  readonly tallyOf: (orgId: string) => Tally;
  readonly limitsOf: (orgId: string) => OrganisationLimits;
  readonly workers: WorkerPresence | null;
  /** Loads missing data of organisations; undefined when everything is loaded. */
  readonly prepare: (orgIds: ReadonlySet<string>) => Promise<void> | undefined;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Nodes that wait because of a limit. Decides which of them this replica serves, and when each asks again.
 *
 * - For a slot or rate window of an agent, or of a run that counts for its blocks: called in order, as many as have
 *   room.
 * - For a worker: called when a worker with their function is present.
 * - For a budget that pauses: called when their reservation fits.
 * - Nodes beyond the memory limit of a process stay in the database, where they cost nothing.
 */
export class WaitingNodes {
  readonly room = new WaitingRoom();
  readonly #options: WaitingNodesOptions;
  readonly #paused = new PausedNodes();
  /** Nodes that wait for a worker, by function. */
  readonly #workerless = new PausedNodes();
  readonly #backlog: Backlog;
  readonly #alarms: WindowAlarms;
  #replica: JudgedReplica = { replicaId: () => "", wake: () => undefined };

  constructor(options: WaitingNodesOptions) {
    this.#options = options;
    this.#alarms = new WindowAlarms(options.clock);
    this.#backlog = new Backlog({
      store: options.store,
      replicaId: () => this.#replica.replicaId(),
      heldOf: (queue) => this.#heldOf(queue),
      onClaimed: (queue, nodes) => this.#claimed(queue, nodes),
      onEmpty: ({ orgId, queue }) => this.room.setBacklog(agentKey(orgId, idIn(queue)), false),
      onTrouble: options.onTrouble,
    });
  }

  get size(): number {
    return this.room.size + this.#paused.size + this.#workerless.size;
  }

  /** Returns the organisations of all nodes waiting here. */
  organisations(): ReadonlySet<string> {
    const groups = [this.room, this.#paused, this.#workerless];
    return new Set(groups.flatMap((group) => [...group.organisations()]));
  }

  attach(replica: JudgedReplica): void {
    this.#replica = replica;
  }

  stop(): void {
    this.#alarms.stop();
  }

  /** Queues a node that has to wait, and returns its place. */
  wait(waiter: Waiter, about: AboutRun, { facts }: Gathered, block: GateBlock): QueuePlace {
    const { pausedBy, until, isOfRun, workerFor } = block;
    const { orgId } = about;
    if (workerFor !== undefined) {
      this.room.leave(waiter);
      this.#paused.leave(waiter);
      const isMoved = !this.#workerless.isAnywhere(waiter);
      const isClaimed = this.#workerless.enter(orgId, workerFor, { waiter, estimateMicros: 0 });
      return this.#placeIn({ orgId, queue: functionQueue(workerFor) }, about, isClaimed, isMoved);
    }
    this.#workerless.leave(waiter);
    if (pausedBy !== undefined) {
      this.room.leave(waiter);
      const isMoved = !this.#paused.isAnywhere(waiter);
      const isClaimed = this.#paused.enter(orgId, pausedBy, { waiter, estimateMicros: facts.estimateMicros });
      return this.#placeIn({ orgId, queue: budgetQueue(pausedBy) }, about, isClaimed, isMoved);
    }
    this.#paused.leave(waiter);
    const { parallel } = facts;
    const isRunFull = isOfRun === true && parallel !== undefined;
    const agentId = isRunFull ? runCounter(parallel.runId) : facts.agentId;
    const key = agentKey(orgId, agentId);
    const isMoved = !this.room.has(key, waiter);
    const isClaimed = this.room.enter(key, waiter, rankOf(about));
    if (until !== undefined && !isRunFull) this.#setAlarm(orgId, agentId, until);
    return this.#placeIn({ orgId, queue: agentQueue(agentId) }, about, isClaimed, isMoved);
  }

  /** Marks a node as admitted by a commit that is under way. */
  admit(waiter: Waiter, about: AboutRun, agentId: string): void {
    this.#paused.leave(waiter);
    this.#workerless.leave(waiter);
    this.room.serve(agentKey(about.orgId, agentId), waiter, rankOf(about));
  }

  /** Removes a node that no longer waits. */
  leave(waiter: Waiter): void {
    this.room.leave(waiter);
    this.#paused.leave(waiter);
    this.#workerless.leave(waiter);
  }

  /** Wakes nodes whose function has a worker again, on this replica or another. */
  wakeForWorkers(): void {
    const { workers } = this.#options;
    if (workers === null || this.#workerless.size === 0) return;
    this.#wakeAll(this.#workerless.release((orgId, name) => (workers.has(orgId, name) ? Infinity : -1)));
  }

  /** Processes a commit: its nodes leave their places, and waiting nodes are called for freed slots. */
  committed(orgId: string, { runId, settled, taken, slots }: Changes): void {
    for (const waiter of taken) this.room.leave(waiter);
    for (const nodeId of settled) this.leave({ runId, nodeId });
    for (const { agentId, delta } of slots) if (delta < 0) this.#wakeFor(orgId, agentId);
    for (const { agentId, parallel } of taken) {
      void this.#backlog.claim({ orgId, queue: agentQueue(agentId) });
      if (parallel !== undefined) void this.#backlog.claim({ orgId, queue: agentQueue(runCounter(parallel.runId)) });
    }
  }

  /** Wakes nodes after changes by other processes, which show in the counters, and claims nodes left in the database. */
  async refresh(): Promise<void> {
    const waitedFor = this.room.agents().map((key) => {
      const slash = key.indexOf("/");
      return { orgId: key.slice(0, slash), agentId: key.slice(slash + 1) };
    });
    // Nodes claimed after another replica died may be the first of their organisation in this process.
    await this.#options.prepare(new Set(waitedFor.map(({ orgId }) => orgId)));
    for (const { orgId, agentId } of waitedFor) this.#wakeFor(orgId, agentId);
    this.#wakePaused();
    this.wakeForWorkers();
    await this.#backlog.refresh();
  }

  #placeIn(queue: WaitingQueue, about: AboutRun, isClaimed: boolean, isMoved: boolean): QueuePlace {
    if (!isClaimed) this.#backlog.add(queue);
    return { queue: queue.queue, rank: rankOf(about), isClaimed, isMoved };
  }

  #setAlarm(orgId: string, agentId: string, dueAt: number): void {
    this.#alarms.set(agentKey(orgId, agentId), dueAt, () => this.#wakeFor(orgId, agentId));
  }

  /** Calls one waiter for each free slot and free place in the windows. */
  #wakeFor(orgId: string, agentId: string): void {
    const key = agentKey(orgId, agentId);
    const { registered, tallyOf, clock } = this.#options;
    if (this.room.heldOf(key) === 0 || !registered.knows(orgId)) return;
    const agent = registered.of(orgId).agents.get(agentId);
    const limit = agent?.maxConcurrent ?? tallyOf(orgId).limitOf(agentId) ?? 1;
    let free = limit - tallyOf(orgId).openOf(agentId);
    if (agent !== undefined && agent.rateLimit !== null) {
      const { used, freesAt } = tallyOf(orgId).windowOf(agentId, rateWindowOf(agent.rateLimit), clock.now());
      free = Math.min(free, agent.rateLimit.count - used);
      if (freesAt !== null) this.#setAlarm(orgId, agentId, freesAt);
    }
    free = Math.min(free, this.#freeOfAll(orgId, agentId));
    if (free <= 0) return;
    for (const call of this.room.wake(key, free)) {
      this.#replica.wake(call.waiter, () => this.#answered(orgId, agentId, call));
    }
  }

  /** Returns the free places in the window of the whole organisation. When it is full, the queue is checked again once a place is free. */
  #freeOfAll(orgId: string, agentId: string): number {
    const { limitsOf, tallyOf, clock } = this.#options;
    const rate = nodeRateOf(limitsOf(orgId));
    if (rate === null) return Infinity;
    const { used, freesAt } = tallyOf(orgId).windowOf(ORGANISATION_COUNTER, rateWindowOf(rate), clock.now());
    if (freesAt !== null) this.#setAlarm(orgId, agentId, freesAt);
    return rate.count - used;
  }

  /** A called node that left without taking its slot passes it to the next. */
  #answered(orgId: string, agentId: string, call: Call): void {
    if (this.room.answered(call)) this.#wakeFor(orgId, agentId);
  }

  /** Wakes nodes whose budget has room again: a new period, a higher ceiling or money given back, by any process. */
  #wakePaused(): void {
    const { registered, tallyOf, clock } = this.#options;
    const at = clock.now();
    const released = this.#paused.release((orgId, budgetId) => {
      const budget = registered.of(orgId).budgets.find(({ id }) => id === budgetId);
      return roomIn(budget, tallyOf(orgId), at);
    });
    this.#wakeAll(released);
  }

  #wakeAll(waiters: readonly Waiter[]): void {
    for (const { runId, nodeId } of waiters) this.#replica.wake({ runId, nodeId }, () => undefined);
  }

  #heldOf({ orgId, queue }: WaitingQueue): number {
    if (queue.startsWith(AGENT_QUEUE)) return this.room.heldOf(agentKey(orgId, idIn(queue)));
    const group = queue.startsWith(FUNCTION_QUEUE) ? this.#workerless : this.#paused;
    return group.heldOf(orgId, idIn(queue));
  }

  /** Nodes claimed for an agent are called when it has room. All others are called at once, because asking shows what they need. */
  #claimed({ orgId, queue }: WaitingQueue, nodes: readonly WaitingNode[]): void {
    if (!queue.startsWith(AGENT_QUEUE)) return this.#wakeAll(nodes);
    const agentId = idIn(queue);
    for (const { runId, nodeId, rank } of nodes) {
      this.room.hold(agentKey(orgId, agentId), { runId, nodeId }, rank);
    }
    this.#wakeFor(orgId, agentId);
  }
}

const AGENT_QUEUE = "agent/";

function agentQueue(agentId: string): string {
  return `${AGENT_QUEUE}${agentId}`;
}

const FUNCTION_QUEUE = "function/";

function functionQueue(name: string): string {
  return `${FUNCTION_QUEUE}${name}`;
}

function budgetQueue(budgetId: string): string {
  return `budget/${budgetId}`;
}

/** Returns the agent, function or budget id of a queue. */
function idIn(queue: string): string {
  return queue.slice(queue.indexOf("/") + 1);
}
