import {
  callIdOf,
  type CallbackResult,
  type Dispatch,
  findNode,
  isExecutionOpen,
  type UnstampedInput,
} from "../../../src/core/engine/index.ts";
import type { Prng } from "../prng.ts";
import { cancelledResult, drawResult } from "./adapters.ts";
import { type Execution, executionOf, type OpenCall, openCalls, resumeOf, type Ruling, rulingOf } from "./execution.ts";
import type { NodeFacts } from "./facts.ts";
import { type Answer, drawAnswer, drawFailure, NOTHING_USED } from "./model.ts";
import type { SimRun } from "./run.ts";
import type { World } from "./world.ts";

/** What an execution is answered: nothing more is wanted of it, it has to stop, or what was decided about its calls. */
type Reply = "over" | "stop" | readonly (Ruling | null)[];

/** Only steps that name tools are given to an adapter that works in rounds. */
export function takesTurns({ hints }: Dispatch): boolean {
  return hints.tools.length > 0;
}

/** The Bridge of agents that work in rounds, with their model and their tools: every step may be its last. */
export class Turns {
  private readonly world: World;
  private readonly executions = new Map<string, Execution>();
  /** How often each round was asked of a model. */
  private readonly asked = new Map<string, number>();
  private readonly pace: Prng;

  constructor(world: World) {
    this.world = world;
    this.pace = world.pace.fork("turns");
  }

  prepare(run: SimRun, dispatch: Dispatch): Execution {
    const { nodeId, attempt, segment, epoch } = dispatch;
    const place = `${run.path}/${nodeId}/${epoch}/${attempt}/${segment}`;
    const temper = this.world.rng.fork(`agent ${run.path}/${nodeId}`);
    return {
      run,
      dispatch,
      resume: resumeOf(dispatch),
      sentAfter: run.log.length,
      place,
      waits: temper.chance(this.world.profile.ignore === 0 ? 0.02 : 0.15),
      isKeen: temper.chance(0.25),
      state: "running",
      isCutOff: false,
      final: null,
    };
  }

  begin(execution: Execution): void {
    const { world } = this;
    const { run, dispatch, resume } = execution;
    world.suite.sent(run, dispatch);
    const known = this.executions.get(dispatch.dispatchId);
    if (known !== undefined && known.state !== "lost") {
      if (known.final !== null) this.report(known, known.final);
      return;
    }
    this.executions.set(dispatch.dispatchId, execution);
    const last = resume.rounds.length - 1;
    if (last < 0) return this.think(execution, 0);
    world.sometimes.hit("turn_continued");
    const calls = openCalls(execution, last);
    if (calls.length > 0) return this.settle(execution, last, calls);
    // Its answer is known: it is given once more, unless the attempt before it has given it in vain.
    if (resume.rounds[last]?.length === 0 && dispatch.segment === 0) this.think(execution, last + 1);
    else this.answer(execution);
  }

  /** Best effort, as for every adapter. */
  cancel(dispatchId: string): void {
    const execution = this.executions.get(dispatchId);
    if (execution?.state !== "running" || this.pace.chance(0.5)) return;
    this.end(execution, cancelledResult(this.world.rng.fork(`cancel ${dispatchId}`)));
  }

  isAtWork({ facts }: SimRun, { id, openAttempt, segment }: NodeFacts): boolean {
    const suffix = segment === 0 ? "" : `#${segment}`;
    return this.executions.get(`${facts.runId}/${id}/${openAttempt}${suffix}`)?.state === "running";
  }

  /** A crash may take the adapter with it. */
  mayForget(): void {
    for (const execution of this.executions.values())
      if (execution.state === "running" && this.pace.chance(0.5)) this.forget(execution);
  }

  /** The Bridge is gone; some of what it was doing goes on without anyone who knows. */
  lose(): readonly {
    readonly run: SimRun;
    readonly nodeId: string;
    readonly attempt: number;
    readonly segment: number;
  }[] {
    const running = [...this.executions.values()].filter(({ state }) => state === "running");
    const lost = running.filter(() => this.pace.chance(0.8));
    for (const execution of lost) if (this.pace.chance(0.85)) this.forget(execution);
    return lost.map((execution) => ({ run: execution.run, ...executionOf(execution) }));
  }

  private forget(execution: Execution): void {
    execution.state = "lost";
    execution.isCutOff = this.pace.chance(0.5);
  }

  /** One call of the model: paid when it is made, known when it is reported. */
  private think(execution: Execution, round: number): void {
    const { world } = this;
    const { run, dispatch, place, waits, isKeen } = execution;
    const { nodeId, epoch, dispatchId } = dispatch;
    this.later(execution, this.delay(), () => {
      const key = `${run.path}/${nodeId}/${epoch}/${round}`;
      const times = (this.asked.get(key) ?? 0) + 1;
      this.asked.set(key, times);
      const rng = world.rng.fork(`model ${key} ${times}`);
      if (rng.chance(world.profile.hang / 2)) return;
      if (rng.chance(world.profile.fail / 5)) return this.fail(execution, rng);
      const answer = drawAnswer(rng, dispatch.hints.tools, round, isKeen);
      world.suite.paid(run, { nodeId, epoch, round, execution: { dispatchId, sentAfter: execution.sentAfter } });
      world.trace?.(() => `model   ${world.now} ${place} round ${round} ${JSON.stringify(answer.calls)}`);
      const input: UnstampedInput = {
        type: "round",
        ...executionOf(execution),
        round,
        finish: answer.calls.length > 0 ? "tool_calls" : "stop",
        text: `round ${round}, asked ${times} times`,
        message: null,
        calls: waits ? [] : answer.calls,
        tokens: answer.tokens,
        costMicros: answer.costMicros,
      };
      this.send(execution, input, () => this.acknowledged(execution, round, answer));
    });
  }

  private fail(execution: Execution, rng: Prng): void {
    this.end(execution, drawFailure(rng));
  }

  private acknowledged(execution: Execution, round: number, answer: Answer): void {
    const reply = this.replyTo(execution, round, answer);
    if (reply === "over") return this.over(execution);
    if (reply === "stop") return this.suspend(execution);
    if (answer.calls.length === 0) return this.answer(execution);
    const calls = answer.calls.map((call, position): OpenCall => {
      const callId = this.callId(execution, round, position);
      return { callId, round, call, ruling: reply[position] ?? null, hasResult: false };
    });
    this.settle(execution, round, calls);
  }

  /** All calls of a round, side by side; nothing here waits for what is held. */
  private settle(execution: Execution, round: number, calls: readonly OpenCall[]): void {
    let open = calls.length;
    let isHeld = false;
    const done = (ruling: Ruling["kind"]): void => {
      open -= 1;
      if (ruling === "hold") isHeld = true;
      if (open > 0 || execution.state !== "running") return;
      if (isHeld) this.suspend(execution);
      else this.think(execution, round + 1);
    };
    for (const call of calls) {
      if (call.hasResult) this.later(execution, 0, () => done("allow"));
      else if (call.ruling === null) this.ask(execution, call, done);
      else this.follow(execution, call, call.ruling, done);
    }
  }

  private ask(execution: Execution, open: OpenCall, done: (ruling: Ruling["kind"]) => void): void {
    const { callId, round, call } = open;
    const { waits } = execution;
    const input: UnstampedInput = { type: "tool_call", ...executionOf(execution), callId, round, call, waits };
    this.send(execution, input, () => {
      const ruling = this.rulingOn(execution, callId);
      if (ruling === null) return this.over(execution);
      if (ruling.kind === "hold" && waits) {
        this.world.sometimes.hit("call_waited_for");
        return this.later(execution, this.pace.between(100, 900), () => this.ask(execution, open, done));
      }
      this.follow(execution, open, ruling, done);
    });
  }

  private follow(execution: Execution, open: OpenCall, ruling: Ruling, done: (kind: Ruling["kind"]) => void): void {
    const { world } = this;
    const { run, dispatch, sentAfter } = execution;
    const { callId, call } = open;
    if (ruling.kind !== "allow") return this.later(execution, 0, () => done(ruling.kind));
    this.later(execution, this.delay(), () => {
      world.trace?.(() => `tool    ${world.now} ${callId} ${call.tool} ${JSON.stringify(ruling.args)}`);
      const stamp = { dispatchId: dispatch.dispatchId, sentAfter };
      const made = { callId, tool: call.tool, args: ruling.args, nodeId: dispatch.nodeId, execution: stamp };
      world.suite.made(run, made);
      const result = { result: { ok: true }, isError: false, durationMs: 1 };
      this.later(execution, this.delay(), () =>
        this.send(execution, { type: "tool_result", ...executionOf(execution), callId, ...result }, () =>
          done("allow"),
        ),
      );
    });
  }

  private answer(execution: Execution): void {
    const { world } = this;
    const rng = world.rng.fork(`answer ${execution.place}`);
    this.end(execution, drawResult(rng, world.profile, execution.dispatch));
  }

  private suspend(execution: Execution): void {
    this.world.sometimes.hit("turn_suspended");
    this.end(execution, { status: "suspended", transcript: { at: execution.place }, ...NOTHING_USED });
  }

  /** The engine wants nothing more of it; some adapters say that they have stopped. */
  private over(execution: Execution): void {
    this.world.sometimes.hit("execution_over");
    if (this.pace.chance(0.5)) this.end(execution, cancelledResult(this.world.rng.fork(`over ${execution.place}`)));
    else execution.state = "ended";
  }

  private end(execution: Execution, result: CallbackResult): void {
    execution.state = "ended";
    execution.final = result;
    this.report(execution, result);
  }

  /** What a Bridge has once decided to report outlives it. */
  private report(execution: Execution, result: CallbackResult): void {
    const { world, pace } = this;
    const input = { type: "callback", ...executionOf(execution), result } as const;
    const copies = pace.chance(world.profile.duplicate) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1)
      world.submit(execution.run, pace.between(1, pace.chance(world.profile.loss) ? 2_500 : 30), input);
  }

  /** Sends until it is taken, and once more where the answer was lost with a process. */
  private send(execution: Execution, input: UnstampedInput, then: () => void): void {
    const { world, pace } = this;
    const { run } = execution;
    const delayMs = pace.chance(world.profile.loss / 3) ? pace.between(1, 1_500) : pace.between(1, 20);
    world.after(delayMs, () => {
      if (execution.isCutOff) return;
      world.submit(run, 0, this.sealed(input), (isRefused) => {
        if (execution.state !== "running") return;
        if (isRefused) this.over(execution);
        else if (world.now < world.downUntil) this.send(execution, input, then);
        else then();
      });
    });
    if (pace.chance(world.profile.duplicate / 2))
      world.submit(run, delayMs + pace.between(0, 2_000), this.sealed(input));
  }

  /** The message of a model is sealed when it is kept: the same one is another each time. */
  private sealed(input: UnstampedInput): UnstampedInput {
    return input.type === "round" ? { ...input, message: { sealed: this.pace.next() } } : input;
  }

  private later(execution: Execution, delayMs: number, act: () => void): void {
    this.world.after(delayMs, () => {
      if (execution.state === "running") act();
    });
  }

  private delay(): number {
    const { pace, world } = this;
    return pace.chance(world.profile.slow / 3) ? pace.between(1_000, 6_000) : pace.between(1, 150);
  }

  /** As the driver answers: from the state after the commit. */
  private replyTo(execution: Execution, round: number, { calls }: Answer): Reply {
    const { run, dispatch } = execution;
    const state = this.world.load(run);
    const node = findNode(state, dispatch.nodeId);
    const turn = node?.turn ?? null;
    if (node === undefined || turn === null) return "over";
    const { now } = node;
    if (now.status === "blocked" && turn.segment === dispatch.segment && now.errorCode !== null) return "stop";
    if (turn.rounds[round] === undefined || !isExecutionOpen(state, node, executionOf(execution))) return "over";
    return calls.map((_, position) => this.rulingOn(execution, this.callId(execution, round, position)));
  }

  private rulingOn(execution: Execution, callId: string): Ruling | null {
    const node = findNode(this.world.load(execution.run), execution.dispatch.nodeId);
    const call = node?.turn?.calls.get(callId);
    return call === undefined ? null : rulingOf(call);
  }

  private callId({ run, dispatch: { nodeId, epoch } }: Execution, round: number, position: number): string {
    return callIdOf({ runId: run.facts.runId }, { id: nodeId, epoch }, round, position);
  }
}
