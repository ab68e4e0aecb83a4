import type { World } from "./world.ts";

/** Asks nodes that wait for a slot or a window again, first come first served. */
export class Wakeups {
  private readonly world: World;
  private readonly planned = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  plan(): void {
    const { world } = this;
    for (const { agentId, dueAt } of world.ledger.wakeups(world.now)) {
      if (this.planned.has(agentId)) continue;
      this.planned.add(agentId);
      world.afterIfAlive(Math.max(0, dueAt - world.now, world.downUntil - world.now), () => {
        this.planned.delete(agentId);
        this.wake(agentId);
        this.plan();
      });
    }
  }

  /** They were planned by a process that is gone. */
  forget(): void {
    this.planned.clear();
  }

  private wake(agentId: string): void {
    const { world } = this;
    if (world.now < world.downUntil) return;
    const first = world.ledger.takeFirst(agentId);
    const run = first === undefined ? undefined : world.runs.get(first.runId);
    if (first === undefined || run === undefined) return;
    const timer = { kind: "wake", nodeId: first.nodeId, epoch: first.epoch } as const;
    const isTaken = world.transact(run, { type: "timer", timer, at: world.now, jitter: world.pace.float() }, true);
    if (!isTaken) world.ledger.putBack(agentId, first);
  }
}
