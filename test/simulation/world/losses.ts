import type { Prng } from "../prng.ts";
import type { NodeFacts } from "./facts.ts";
import { isRun, type SimRun } from "./run.ts";
import type { Turns } from "./turns.ts";
import type { World } from "./world.ts";

/** Who notices that attempts are lost: the process that takes over after a crash, or the one that misses a Bridge. */
export class Losses {
  private readonly world: World;
  private readonly turns: Turns;
  /** A stream of its own, so that schedules without turns stay as they were. */
  private readonly pace: Prng;

  constructor(world: World, turns: Turns) {
    this.world = world;
    this.turns = turns;
    this.pace = world.pace.fork("losses");
  }

  /** Now and then the Bridge of agents is gone with what it was doing. */
  plan(): void {
    const { world, pace } = this;
    if (!world.hasTurns || world.profile.loss === 0) return;
    for (let count = pace.between(0, 4); count > 0; count -= 1)
      world.after(pace.between(1, 7_000), () => {
        for (const { run, nodeId, attempt, segment } of this.turns.lose()) {
          world.sometimes.hit("execution_lost");
          const timer = { kind: "lost", nodeId, attempt, segment } as const;
          world.submit(run, pace.between(1, 3_000), { type: "timer", timer });
        }
      });
  }

  afterCrash(back: number): void {
    const { world } = this;
    for (const run of world.runs.values()) {
      if (run.facts.hasEnded) continue;
      for (const node of run.facts.nodes.values()) {
        if (node.openAttempt === 0 || node.isDeferred || isRun(node.plan)) continue;
        this.report(run, node, back);
      }
    }
  }

  private report(run: SimRun, node: NodeFacts, back: number): void {
    const { world } = this;
    const { pace } = world;
    const { id: nodeId, openAttempt: attempt, segment } = node;
    // An agent that is still at work is mostly found again.
    if (node.turn !== null && this.turns.isAtWork(run, node) && this.pace.chance(0.7)) return;
    const timer = { kind: "lost", nodeId, attempt, ...(node.turn === null ? {} : { segment }) } as const;
    // Now and then one owner after another is lost, until the calls of the node are used up.
    const times = pace.chance(0.03) ? 12 : 1;
    for (let turn = 0; turn < times; turn += 1) {
      const delayMs = back + pace.between(0, times === 1 ? 9_000 : 300);
      // Submitted by the process that took over: when that one dies too, the next takes stock anew.
      world.afterIfAlive(delayMs, () => world.submit(run, 0, { type: "timer", timer }));
    }
  }
}
