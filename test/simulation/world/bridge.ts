import type { Dispatch } from "../../../src/core/engine/index.ts";
import { type Behaviour, cancelledResult, drawBehaviour } from "./adapters.ts";
import type { SimRun } from "./run.ts";
import type { World } from "./world.ts";

interface Assignment {
  readonly run: SimRun;
  readonly dispatch: Dispatch;
  readonly behaviour: Behaviour;
  state: "running" | "ended" | "lost";
}

/** The far side of the network. Knows every dispatch it took, and never runs one twice while it remembers it. */
export class Bridge {
  private readonly world: World;
  private readonly assignments = new Map<string, Assignment>();

  constructor(world: World) {
    this.world = world;
  }

  dispatch(run: SimRun, dispatch: Dispatch): void {
    const { world } = this;
    world.suite.sent(run, dispatch);
    const known = this.assignments.get(dispatch.dispatchId);
    if (known !== undefined && known.state !== "lost") {
      // The result is kept and given again; work that still runs is not begun twice.
      if (known.state === "ended") this.report(known);
      return;
    }
    const place = `${run.path}/${dispatch.nodeId}/${dispatch.attempt}`;
    const behaviour = drawBehaviour(world.rng, world.profile, place, dispatch);
    const assignment: Assignment = { run, dispatch, behaviour, state: "running" };
    this.assignments.set(dispatch.dispatchId, assignment);
    this.stream(assignment);
    if (behaviour.isDeferred) {
      const { nodeId, attempt } = dispatch;
      world.sometimes.hit("deferred");
      world.submit(run, world.pace.between(1, 20), {
        type: "callback",
        nodeId,
        attempt,
        result: { status: "deferred" },
      });
    }
    world.after(this.paced(behaviour.delayMs), () => {
      if (assignment.state !== "running" || this.assignments.get(dispatch.dispatchId) !== assignment) return;
      assignment.state = "ended";
      this.report(assignment);
    });
  }

  /** Best effort: some adapters stop and say so, some finish all the same. */
  cancel(dispatchId: string): void {
    const assignment = this.assignments.get(dispatchId);
    const { world } = this;
    if (assignment?.state !== "running" || world.pace.chance(0.5)) return;
    assignment.state = "lost";
    const { nodeId, attempt } = assignment.dispatch;
    const result = cancelledResult(world.rng.fork(`cancel ${dispatchId}`));
    world.submit(assignment.run, world.pace.between(1, 300), { type: "callback", nodeId, attempt, result });
  }

  /** A crash may take the adapter with it: what it was doing is then never reported. */
  mayForget(): void {
    for (const assignment of this.assignments.values()) {
      if (assignment.state === "running" && this.world.pace.chance(0.3)) assignment.state = "lost";
    }
  }

  /** Moments vary with the order seed, but never across a deadline. */
  private paced(delayMs: number): number {
    return delayMs > 800 ? delayMs : this.world.pace.between(1, 800);
  }

  private stream(assignment: Assignment): void {
    const { world } = this;
    const { behaviour, dispatch, run } = assignment;
    behaviour.chunks.forEach((text, index) => {
      const deltas = [{ index, text }];
      const input = { type: "stream", nodeId: dispatch.nodeId, attempt: dispatch.attempt, deltas } as const;
      const spread = world.profile.loss > 0 ? world.pace.between(1, 150) : 20 * index + 1;
      if (spread < 20 * index) world.sometimes.hit("stream_reordered");
      world.submit(run, spread, input);
      if (world.pace.chance(world.profile.duplicate)) world.submit(run, spread + world.pace.between(0, 60), input);
    });
  }

  private report(assignment: Assignment): void {
    const { world } = this;
    const { behaviour, dispatch, run } = assignment;
    if (behaviour.final === null) return;
    const input = {
      type: "callback",
      nodeId: dispatch.nodeId,
      attempt: dispatch.attempt,
      result: behaviour.final,
    } as const;
    for (let copy = 0; copy < behaviour.copies; copy += 1) {
      if (copy > 0) world.sometimes.hit("dup_callback_seen");
      const isLost = world.pace.chance(world.profile.loss);
      world.submit(run, world.pace.between(1, isLost ? 2_500 : 30), input);
    }
  }
}
