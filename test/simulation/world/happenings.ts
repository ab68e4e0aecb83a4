import { canonicalJson, type Json, type JsonObject } from "../../../src/core/base/index.ts";
import { type Effect, signalTo } from "../../../src/core/engine/index.ts";
import type { RunEvent } from "../../../src/core/event/index.ts";
import type { PlanNode } from "../../../src/core/plan/index.ts";
import type { Turn } from "../engine.ts";
import type { Workflow } from "../plans/bundle.ts";
import type { Prng } from "../prng.ts";
import type { NodeFacts } from "./facts.ts";
import type { SimRun } from "./run.ts";
import { hasTaken } from "./taken.ts";
import type { World } from "./world.ts";

/** An event as it is kept, from any sender. */
export interface Happening {
  readonly id: string;
  readonly type: string;
  readonly key: JsonObject;
  readonly data: Json;
  readonly at: number;
}

export const EVENT_TYPES = ["e1", "e2"] as const;
export const EVENT_KEYS: readonly JsonObject[] = [{}, { k: "a" }, { k: "b" }];

/**
 * Events of steps and of those outside, and how they reach the nodes that wait: each is kept first and looked up
 * afterwards, from both sides; a crash delays that, and nothing is forgotten.
 */
export class Happenings {
  readonly all: Happening[] = [];
  private readonly world: World;
  /** A stream of its own, so that schedules without waits stay as they were. */
  private readonly pace: Prng;

  constructor(world: World) {
    this.world = world;
    this.pace = world.pace.fork("events");
  }

  /** Those outside send some events early, some in between, and one of each kind late. */
  plan(run: SimRun): void {
    const { world, pace } = this;
    if (![...world.bundle.workflows.values()].some(hasWaits)) return;
    for (let count = pace.between(0, 6); count > 0; count -= 1) {
      world.after(pace.between(0, 6_000), () => this.send(pace.pick(EVENT_TYPES), pace.pick(EVENT_KEYS)));
    }
    world.after(pace.between(0, 25_000), () => {
      const { type, key } = signalTo(run.facts.runId, "go");
      this.send(type, key);
    });
    for (const type of EVENT_TYPES) {
      for (const key of EVENT_KEYS) world.after(pace.between(10_000, 40_000), () => this.send(type, key));
    }
  }

  /** Part of the commit itself. */
  emitted({ event }: Extract<Effect, { readonly type: "emit-event" }>): void {
    if (this.all.some(({ id }) => id === event.id)) return;
    this.keep({ ...event, at: this.world.now });
  }

  /** Nodes that began to wait look for what was kept before. */
  observe(run: SimRun, turn: Turn): void {
    for (const event of turn.events) if (isWait(event)) this.lookFor(run, event.payload.nodeId, event.eventId);
  }

  private send(type: string, key: JsonObject): void {
    this.keep({ id: `sent-${this.all.length}`, type, key, data: { ok: true, n: 1 }, at: this.world.now });
  }

  private keep(happening: Happening): void {
    this.all.push(happening);
    this.world.after(this.delay(), () => {
      for (const run of this.world.runs.values()) {
        for (const node of run.facts.nodes.values())
          if (waitsFor(run, node, happening)) this.deliver(run, node, happening);
      }
    });
  }

  private lookFor(run: SimRun, nodeId: string, eventId: number): void {
    this.world.after(this.delay(), () => {
      const node = run.facts.nodes.get(nodeId);
      if (node === undefined || node.blockedBy !== eventId) return;
      const waiting = this.all.filter((happening) => waitsFor(run, node, happening));
      const first = waiting.find(({ id }) => !hasTaken(this.world.runs, run, node, id));
      if (first !== undefined) this.deliver(run, node, first);
      // A lookup that is behind finds what was taken in another round.
      const [before] = waiting;
      if (before !== undefined && before !== first && this.pace.chance(0.3)) this.deliver(run, node, before);
    });
  }

  private deliver(run: SimRun, node: NodeFacts, { id, type, key, data }: Happening): void {
    const input = { type: "event", nodeId: node.id, epoch: node.epoch, event: { id, type, key, data } } as const;
    this.world.submit(run, this.pace.between(0, 50), input);
    if (this.pace.chance(this.world.profile.duplicate)) this.world.submit(run, this.pace.between(0, 900), input);
  }

  /** Mostly at once; after a crash as late as a mark is found. */
  private delay(): number {
    return this.pace.chance(0.9) ? this.pace.between(0, 5) : this.pace.between(5, 8_000);
  }
}

function isWait(event: RunEvent): event is Extract<RunEvent, { readonly type: "node.blocked" }> {
  return event.type === "node.blocked" && event.payload.event !== undefined;
}

/** Inside blocks, only waits for events count: all else is as it was without them. */
function hasWaits({ plan, blocks }: Workflow): boolean {
  const isForEvent = ({ work }: PlanNode): boolean => work?.kind === "wait" && work.wait.kind === "event";
  return (
    plan.nodes.some(({ kind }) => kind === "wait") || [...blocks.values()].some((it) => it.plan.nodes.some(isForEvent))
  );
}

/** Judged from what was recorded alone. */
export function mayTake(
  runs: ReadonlyMap<string, SimRun>,
  run: SimRun,
  node: NodeFacts,
  happening: Happening,
): boolean {
  return waitsFor(run, node, happening) && !hasTaken(runs, run, node, happening.id);
}

function waitsFor(run: SimRun, node: NodeFacts, { type, key, at }: Happening): boolean {
  const { awaited } = node;
  if (node.status !== "blocked" || awaited === null || awaited.type !== type || at < rootOf(run).createdAt)
    return false;
  return canonicalJson(awaited.key) === canonicalJson(key);
}

function rootOf(run: SimRun): SimRun {
  return run.parent === null ? run : rootOf(run.parent.run);
}
