import type { SimRun } from "./run.ts";
import type { BranchEdits, RunState, UnstampedInput } from "../../../src/core/engine/index.ts";
import type { World } from "./world.ts";

/** Those who pause, cancel, rewind, recover, restart and branch. */
export class Operators {
  private readonly world: World;
  private launched = 1;

  constructor(world: World) {
    this.world = world;
  }

  /** What they will do to a run while it is under way. */
  plan(run: SimRun): void {
    const { world } = this;
    const { profile, pace } = world;
    if (pace.chance(profile.cancel)) {
      const delayMs = this.moment();
      world.submit(run, delayMs, { type: "cancel", reason: "enough", by: "person-1" });
      if (pace.chance(0.3)) world.submit(run, delayMs + pace.between(0, 100), { type: "cancel", reason: "really" });
    }
    this.planPauses(run);
    if (pace.chance(profile.rewind)) this.planRewind(run, this.moment());
    if (pace.chance(0.1)) world.submit(run, this.moment(), pace.pick(this.nonsense(run)));
  }

  /** A stream of its own, so that pauses shift nothing else. What is paused is resumed some time. */
  private planPauses(run: SimRun): void {
    const { world } = this;
    const pace = world.pace.fork(`pauses of ${run.facts.runId}`);
    if (!pace.chance(0.1)) return;
    world.submit(run, pace.between(1, 1_500), { type: "pause", by: "person-1", reason: "wait" }, () =>
      world.submit(run, pace.between(1, 6_000), { type: "resume", by: "person-1" }),
    );
  }

  /** Inputs about things that are not there. */
  private nonsense(run: SimRun): readonly UnstampedInput[] {
    const [node] = run.facts.workflow.plan.nodes;
    const nodeId = node?.id ?? "no_such_node";
    const tokens = { inputTokens: 1, outputTokens: 1, thinkingTokens: 0, cachedTokens: 0 };
    const route = { agentId: null, gatewayId: null, provider: null, model: null, executionPath: null };
    return [
      { type: "callback", nodeId: "no_such_node", attempt: 1, result: { status: "failed", tokens, costMicros: 5 } },
      { type: "callback", nodeId, attempt: 9_999, result: { status: "deferred" } },
      { type: "stream", nodeId, attempt: 9_999, deltas: [{ index: 0, text: "x" }] },
      { type: "approval", approvalId: "apr_nobody", decision: "approve", by: "person-1" },
      { type: "resolve", nodeId: "no_such_node", by: "person-1", assignTo: "chosen" },
      { type: "rewind", eventId: 999_999, isConsumed: false },
      {
        type: "verdict",
        nodeId: "no_such_node",
        epoch: 0,
        verdict: { disposition: "allow", verdictId: "vrd_0", route },
      },
    ];
  }

  ended(run: SimRun): void {
    const { world } = this;
    const { profile, pace } = world;
    const { status } = run.facts;
    if (run.parent !== null) return;
    if (run.reopened < 2 && (status === "failed" || status === "timed_out") && pace.chance(profile.recover)) {
      run.reopened += 1;
      world.submit(run, pace.between(1, 3_000), { type: "recover", reason: "try again" });
    } else if (run.reopened < 2 && pace.chance(profile.rewind)) {
      run.reopened += 1;
      this.planRewind(run, pace.between(1, 2_000));
    }
    if (this.launched < 3 && pace.chance(profile.restart)) world.after(pace.between(1, 2_000), () => this.restart(run));
    if (this.launched < 3 && pace.chance(profile.branch)) world.after(pace.between(1, 2_000), () => this.branch(run));
  }

  private moment(): number {
    const { pace } = this.world;
    return pace.chance(0.6) ? pace.between(1, 1_500) : pace.between(1, 12_000);
  }

  private planRewind(run: SimRun, delayMs: number): void {
    const { world } = this;
    world.after(delayMs, () => {
      const eventId = world.pace.between(1, Math.max(1, run.log.length));
      world.submit(run, 0, { type: "rewind", eventId, isConsumed: run.isConsumed });
    });
  }

  /** Runs that want the same place. */
  planRivals(run: SimRun): void {
    const { world } = this;
    if (run.facts.workflow.plan.concurrency === null) return;
    const pace = world.pace.fork("rivals");
    for (let count = pace.between(1, 2); count > 0; count -= 1)
      world.after(pace.between(1, 3_000), () => {
        if (this.launched < 3) this.launchFrom(run);
      });
  }

  private restart(run: SimRun): void {
    const { world } = this;
    if (!run.facts.hasEnded) return;
    const { workflow, runId } = run.facts;
    const state = world.engine.replay(workflow.plan, runId, run.log);
    const named = world.pace.chance(0.3) ? world.pace.pick(workflow.plan.nodes).id : undefined;
    const carried = world.engine.restartFrom(state, named);
    world.suite.restarted(run.facts, named, carried);
    world.sometimes.hit("restarted");
    this.launchFrom(run, carried);
  }

  private branch(run: SimRun): void {
    const { world } = this;
    const { workflow, runId } = run.facts;
    const upTo = world.pace.between(1, run.log.length);
    const state = world.engine.replay(workflow.plan, runId, run.log.slice(0, upTo));
    world.sometimes.hit("branched");
    const edits = this.edits(state);
    const edited = edits === null ? null : world.engine.branchWith(state, state.args, edits);
    if (edits === null || edited === null || "refusal" in edited)
      return this.launchFrom(run, world.engine.branchFrom(state));
    world.sometimes.hit(edits.prompts === undefined ? "output_given" : "prompt_edited");
    this.launchFrom(run, edited.carried);
  }

  /** A stream of its own, so that edits shift nothing else. Not every node can be edited: then nothing is. */
  private edits(state: RunState): BranchEdits | null {
    const pace = this.world.pace.fork(`edits of ${state.runId}`);
    if (!pace.chance(0.7)) return null;
    const { id, now } = pace.pick(state.nodes);
    if (pace.chance(0.5)) return { prompts: { [id]: "written by a person" }, by: "person-1" };
    return { outputs: { [id]: now.status === "completed" ? now.outputs : {} }, by: "person-1" };
  }

  private launchFrom(run: SimRun, carried?: ReturnType<World["engine"]["branchFrom"]>): void {
    const { world } = this;
    this.launched += 1;
    const fresh = world.launch({
      runId: `run_${this.launched}`,
      workflow: run.facts.workflow,
      args: run.start.args,
      path: String(this.launched),
      parent: null,
      recursionDepth: run.start.recursionDepth,
      ...(carried === undefined ? {} : { sourceRunId: run.facts.runId, carried }),
    });
    this.plan(fresh);
  }
}
