import type { JsonObject } from "../../../src/core/base/index.ts";
import { type ChildFinishedInput, type Effect, heldPauseOf, type StartChild } from "../../../src/core/engine/index.ts";
import type { Turn } from "../engine.ts";
import type { Prng } from "../prng.ts";
import { type Launch, leafOutputs, type SimRun } from "./run.ts";
import type { World } from "./world.ts";

const NO_TOKENS = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };

/** Starts child runs, cancels them, and reports to their parents how they ended. */
export class Children {
  private readonly world: World;
  /** Called off before they were started: they never come to be. */
  private readonly calledOff = new Set<string>();

  /** A stream of its own, so that late reports shift nothing else. */
  private readonly latePace: Prng;
  private readonly pausePace: Prng;

  constructor(world: World) {
    this.world = world;
    this.latePace = world.pace.fork("late costs of children");
    this.pausePace = world.pace.fork("pauses of children");
  }

  start(run: SimRun, effect: StartChild): void {
    const { world } = this;
    const { childRunId, nodeId, attempt } = effect;
    if (world.runs.has(childRunId) || this.calledOff.has(childRunId)) return;
    const { block } = effect;
    const workflow =
      block === undefined ? world.bundle.workflows.get(effect.workflow.name) : run.facts.workflow.blocks.get(block);
    if (workflow === undefined) throw new Error(`no workflow ${effect.workflow.name}`);
    const parent = { run, nodeId, attempt };
    const path = `${run.path}/${nodeId}#${attempt}`;
    const { args, recursionDepth, taken = [], heldKeys = [] } = effect;
    const given = allowed(args, workflow);
    const launch = { runId: childRunId, workflow, args: given, path, parent, recursionDepth, taken, heldKeys };
    const pause = heldPauseOf(world.load(run));
    const paused = pause === null ? {} : { paused: pause };
    world.launch({ ...launch, ...this.continued(effect, given), ...paused });
    this.pause(run, childRunId);
  }

  /** Of a block: whose it is, and what is kept of an earlier run of it. */
  private continued({ block, owner, sourceRunId }: StartChild, args: JsonObject): Partial<Launch> {
    const { world } = this;
    if (block === undefined || owner === undefined) return {};
    world.sometimes.hit("block_started");
    const source = sourceRunId === undefined ? undefined : world.runs.get(sourceRunId);
    if (sourceRunId === undefined || source === undefined) return { block, owner };
    world.sometimes.hit("block_continued");
    const state = world.engine.replay(source.facts.workflow.plan, sourceRunId, source.log);
    return { block, owner, sourceRunId, carried: world.engine.branchFrom(state, args) };
  }

  cancel(run: SimRun, effect: Extract<Effect, { readonly type: "cancel-child" }>): void {
    const { world } = this;
    const child = world.runs.get(effect.childRunId);
    if (child !== undefined) {
      world.submit(child, world.pace.between(0, 40), { type: "cancel", reason: "parent", isByParent: true });
      return;
    }
    this.calledOff.add(effect.childRunId);
    const { nodeId, childRunId } = effect;
    const attempt = run.facts.children.get(childRunId)?.attempt ?? 0;
    const ended = { type: "child_finished", nodeId, attempt, childRunId, status: "cancelled" } as const;
    world.submit(run, 1, { ...ended, outputs: {}, costMicros: 0, tokens: NO_TOKENS });
  }

  /** Until it is as its parent is: what is submitted later may be taken first. */
  pause(run: SimRun, childRunId: string, againMs = 20): void {
    const { world } = this;
    const child = world.runs.get(childRunId);
    if (child === undefined || child.facts.hasEnded) return;
    if (child.log.length === 0) {
      // Less and less often: a process that is down most of the time starts it late.
      return world.after(againMs, () => this.pause(run, childRunId, Math.min(2 * againMs, 1_000)));
    }
    const isPaused = heldPauseOf(world.load(run)) !== null;
    if (isPaused === child.facts.pauses.has("parent")) return;
    const delayMs = this.pausePace.between(0, 40);
    const input = { type: isPaused ? "pause" : "resume", by: "person-1", isByParent: true } as const;
    world.submit(child, delayMs, input, (isRefused) => {
      if (!isRefused) this.pause(run, childRunId);
    });
  }

  ended(child: SimRun): void {
    const { world } = this;
    const { parent, facts } = child;
    if (parent === null) return;
    this.report(child, parent, world.pace);
    if (facts.status === "cancelled") world.sometimes.hit("child_cancelled");
    if (facts.status === "failed") world.sometimes.hit("child_failed");
    if (facts.status === "completed") world.sometimes.hit("child_completed");
  }

  /** A run that has ended can only cost: its parent receives its whole cost by now, even when it has ended itself. */
  spentLate(child: SimRun, turns: readonly Turn[]): void {
    const { parent } = child;
    const hasSpent = turns.some(({ events }) => events.some(({ type }) => type === "cost.recorded"));
    if (parent === null || !hasSpent || !child.facts.hasEnded) return;
    this.world.sometimes.hit(parent.run.parent === null ? "child_spent_late" : "grandchild_spent_late");
    this.report(child, parent, this.latePace);
  }

  /** Reports may come twice, and a later one first. */
  private report(child: SimRun, parent: NonNullable<SimRun["parent"]>, pace: Prng): void {
    const { world } = this;
    const { runId: childRunId, status, costMicros } = child.facts;
    const { nodeId, attempt } = parent;
    const input = { type: "child_finished", nodeId, attempt, childRunId, status, costMicros } as const;
    const outputs = leafOutputs(child);
    const ends = endsOf(child);
    const taken = this.takenBy(child);
    if (ends !== null) world.sometimes.hit("block_ended_its_run");
    const copies = pace.chance(world.profile.duplicate) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      world.submit(
        parent.run,
        pace.between(1, 50),
        {
          ...input,
          outputs,
          tokens: NO_TOKENS,
          ...(ends === null ? {} : { ends }),
          ...(taken.length === 0 ? {} : { taken }),
        },
        () => {
          child.isConsumed = true;
        },
      );
    }
  }

  /** What the steps of a block have taken. */
  private takenBy({ start, facts, log }: SimRun): readonly string[] {
    const { engine } = this.world;
    if (start.block === undefined || !log.some(({ type }) => type === "event.received" || type === "child.finished"))
      return [];
    return engine.eventsTakenByBlock(engine.replay(facts.workflow.plan, facts.runId, log));
  }
}

/** How a step of the block ends the run it belongs to. */
function endsOf({ log }: SimRun): NonNullable<ChildFinishedInput["ends"]> | null {
  const ending = log.findLast((event) => event.type === "run.ending" && event.payload.isOfOwner === true);
  if (ending?.type !== "run.ending") return null;
  const { as, reason, errorCode = null } = ending.payload;
  return { as, reason, errorCode };
}

function allowed(args: StartChild["args"], workflow: { readonly plan: { readonly args: object } }): StartChild["args"] {
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(workflow.plan.args, name)));
}
