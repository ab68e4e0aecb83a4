import { type Effect, timerKey } from "../../../src/core/engine/index.ts";
import type { SimRun } from "./run.ts";
import type { World } from "./world.ts";

/** Deadlines of runs, each submitted when it is due, or a little later. */
export class Deadlines {
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  arm(run: SimRun, { timer, dueAt }: Extract<Effect, { readonly type: "set-timer" }>): void {
    const { world } = this;
    const late = world.pace.chance(0.8) ? 0 : world.pace.between(1, 300);
    // A run has one deadline of a kind: a newer one takes the place of the one before.
    const key = timerKey(timer);
    const mark = Symbol(key);
    run.armed.set(key, mark);
    world.after(Math.max(0, dueAt - world.now) + late, () => {
      if (run.armed.get(key) !== mark) return;
      // A deadline that outlived its run changes nothing; now and then it is submitted all the same.
      if (run.facts.hasEnded && world.pace.chance(0.9)) return;
      world.submit(run, 0, { type: "timer", timer });
      if (world.pace.chance(world.profile.duplicate))
        world.submit(run, world.pace.between(0, 200), { type: "timer", timer });
    });
  }
}
