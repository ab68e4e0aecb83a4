import type { Effect, Input, RunState, UnstampedInput } from "../../../src/core/engine/index.ts";
import type { Suite } from "../checkers/suite.ts";
import { type Engine, REAL_ENGINE, type Turn } from "../engine.ts";
import type { Bundle } from "../plans/bundle.ts";
import type { Profile } from "../profile.ts";
import { Prng } from "../prng.ts";
import type { Sometimes } from "../sometimes.ts";
import { Bridge } from "./bridge.ts";
import { Children } from "./children.ts";
import { Deadlines } from "./deadlines.ts";
import { Happenings } from "./happenings.ts";
import { Heap } from "./heap.ts";
import { answerTo, isQuestion, judged } from "./judge.ts";
import type { LedgerBugs } from "./agents.ts";
import { Ledger } from "./ledger.ts";
import { Losses } from "./losses.ts";
import { Operators } from "./operators.ts";
import { People } from "./people.ts";
import { Places } from "./places.ts";
import { createRun, isUnderWay, type Launch, type SimRun } from "./run.ts";
import { TurnJudge } from "./turn-judge.ts";
import { takesTurns, Turns } from "./turns.ts";
import { Wakeups } from "./wakeups.ts";

export interface WorldOptions {
  readonly seed: number;
  /** Chance of things that only shift order in time; equal to `seed` unless orders are compared. */
  readonly orderSeed?: number;
  readonly bundle: Bundle;
  /** Whether its agents work in rounds. */
  readonly hasTurns: boolean;
  readonly profile: Profile;
  readonly suite: Suite;
  readonly sometimes: Sometimes;
  readonly engine?: Engine;
  readonly bugs?: LedgerBugs;
  readonly trace?: (line: () => string) => void;
}

interface Item {
  readonly act: () => void;
  /** Volatile work belongs to the process that planned it and dies with it; null survives. */
  readonly process: number | null;
}

const START_AT = 1_000_000;
const ITEMS_MAX = 60_000;

/** Clock, chance, network, governance and people around one driver; nothing in it is real. */
export class World {
  readonly engine: Engine;
  readonly profile: Profile;
  readonly bundle: Bundle;
  readonly hasTurns: boolean;
  readonly suite: Suite;
  readonly sometimes: Sometimes;
  readonly ledger: Ledger;
  readonly runs = new Map<string, SimRun>();
  readonly rng: Prng;
  /** Decides moments; behaviour never depends on it. */
  readonly pace: Prng;
  now = START_AT;
  readonly trace: ((line: () => string) => void) | undefined;
  private readonly heap = new Heap<Item>();
  private readonly bridge: Bridge;
  private readonly people: People;
  private readonly children: Children;
  private readonly deadlines: Deadlines;
  private readonly operators: Operators;
  private readonly happenings: Happenings;
  private readonly places: Places;
  private readonly judge: TurnJudge;
  private readonly turns: Turns;
  private readonly losses: Losses;
  private readonly wakeups: Wakeups;
  private process = 0;
  /** What was last submitted was not taken. */
  private isRefused = false;
  /** Until then no process takes anything up. */
  downUntil = 0;

  constructor(options: WorldOptions) {
    this.engine = options.engine ?? REAL_ENGINE;
    this.profile = options.profile;
    this.bundle = options.bundle;
    this.hasTurns = options.hasTurns;
    this.suite = options.suite;
    this.sometimes = options.sometimes;
    this.rng = new Prng(options.seed);
    this.pace = new Prng(options.orderSeed ?? options.seed).fork("pace");
    this.trace = options.trace;
    this.ledger = new Ledger(this.rng.fork("ledger"), options.profile, START_AT, options.sometimes, options.bugs ?? {});
    this.bridge = new Bridge(this);
    this.people = new People(this);
    this.children = new Children(this);
    this.deadlines = new Deadlines(this);
    this.operators = new Operators(this);
    this.happenings = new Happenings(this);
    this.places = new Places(this);
    this.judge = new TurnJudge(this);
    this.turns = new Turns(this);
    this.losses = new Losses(this, this.turns);
    this.wakeups = new Wakeups(this);
    const { ledger, runs } = this;
    const happenings = this.happenings.all;
    const costOf = (runId: string): number => ledger.costOf(runId);
    const holds = (runId: string, nodeId: string): boolean => ledger.holds(`${runId}/${nodeId}`);
    this.suite.connect({ agents: ledger.agents, runs, happenings, costOf, holds });
  }

  /** Plays one schedule to the end: until nothing is left that could happen. */
  play(): void {
    const { root } = this.bundle;
    const args = { mode: this.rng.fork("args").pick(["a", "b"]) };
    const given = root.plan.format === "lobsterx" ? args : {};
    const recursionDepth = this.rng.fork("depth").chance(0.03) ? 5 : 0;
    const run = this.launch({ runId: "run_1", workflow: root, args: given, path: "1", parent: null, recursionDepth });
    this.operators.plan(run);
    this.happenings.plan(run);
    this.operators.planRivals(run);
    this.losses.plan();
    for (let turns = 0; ; turns += 1) {
      const next = this.heap.pop();
      if (next === undefined) break;
      if (turns > ITEMS_MAX) this.suite.report("E6", "run_1", "the schedule does not come to rest");
      this.now = Math.max(this.now, next.at);
      if (next.item.process === null || next.item.process === this.process) next.item.act();
    }
    this.suite.quiet([...this.runs.values()]);
    for (const each of this.runs.values()) this.suite.compareFold(this.engine, each, this.pace);
  }

  launch(launch: Launch): SimRun {
    const run = createRun({ ...launch, createdAt: this.now });
    this.runs.set(launch.runId, run);
    this.submit(run, 1, run.start);
    return run;
  }

  /** Plans something for later that outlives the process. */
  after(delayMs: number, act: () => void): void {
    this.heap.push(this.now + delayMs, { act, process: null });
  }

  /** Plans something that is forgotten when the process dies. */
  afterIfAlive(delayMs: number, act: () => void): void {
    this.heap.push(this.now + delayMs, { act, process: this.process });
  }

  /** Submits an input to a run, again and again until a commit has taken it. */
  submit(run: SimRun, delayMs: number, input: UnstampedInput, onTaken?: (isRefused: boolean) => void): void {
    this.after(delayMs, () => {
      if (this.now < this.downUntil)
        return this.submit(run, this.downUntil - this.now + this.pace.between(0, 50), input, onTaken);
      const stamped = { ...input, at: this.now, jitter: this.pace.float() } as Input;
      if (this.transact(run, stamped, false)) onTaken?.(this.isRefused);
      else this.submit(run, this.pace.between(5, 400), input, onTaken);
    });
  }

  /** One input to its fixpoint, verdicts included, in one commit. False: nothing of it is true, submit it again. */
  transact(run: SimRun, input: Input, isWoken: boolean): boolean {
    this.trace?.(() => `input   ${this.now} ${run.facts.runId} ${JSON.stringify(input)}`);
    const state = this.load(run);
    this.ledger.begin();
    const turns: Turn[] = [];
    const claim = this.places.claim(run, state, input);
    if (claim.input === null) return true;
    const first = judged(claim.input);
    const next: (() => Input)[] = [() => first];
    for (let make = next.shift(); make !== undefined; make = next.shift()) {
      const given = make();
      const turn = { input: given, ...this.advance(run, given) };
      turns.push(turn);
      for (const effect of turn.effects) {
        if (!isQuestion(effect)) continue;
        const asker = { runId: run.facts.runId, path: run.path, isWoken };
        const judges = { ledger: this.ledger, turns: this.judge };
        next.push(() => answerTo(judges, asker, effect, judged({ at: this.now, jitter: this.pace.float() })));
      }
    }
    this.isRefused = turns.some(({ refusal }) => refusal !== undefined);
    if (this.pace.chance(this.profile.repeatInput)) this.suite.repeat(this.engine, run, state, first);
    if (this.strikesBeforeCommit(run)) return false;
    this.commit(run, turns);
    claim.committed();
    return true;
  }

  load(run: SimRun): RunState {
    return (run.state ??= this.engine.replay(run.facts.workflow.plan, run.facts.runId, run.log));
  }

  private advance(run: SimRun, input: Input): Omit<Turn, "input"> {
    const state = run.state;
    if (state === null) throw new Error("a run is loaded before it is advanced");
    const { events, effects, refusal } = this.engine.advance(state, input);
    const { runId } = run.facts;
    for (const event of events) this.ledger.observe(runId, event);
    if (input.type === "verdict" && input.verdict.disposition === "allow") {
      const isStarted = events.some((event) => event.type === "node.started" && event.payload.nodeId === input.nodeId);
      if (!isStarted) this.ledger.release(`${runId}/${input.nodeId}`);
    }
    if (refusal === undefined) this.ledger.take(runId, input, isUnderWay(run, input));
    return { events, effects, refusal };
  }

  private strikesBeforeCommit(run: SimRun): boolean {
    const roll = this.pace.float();
    const { crashBeforeCommit, conflict } = this.profile;
    if (roll >= crashBeforeCommit + conflict) return false;
    this.ledger.rollback();
    if (roll < crashBeforeCommit) {
      this.sometimes.hit("crash_before_commit");
      this.crash();
    } else {
      this.sometimes.hit("conflict");
      this.trace?.(() => `lost    ${this.now} the commit met another writer`);
      run.state = null;
    }
    return true;
  }

  private commit(run: SimRun, turns: readonly Turn[]): void {
    const wasEnded = run.facts.hasEnded;
    for (const turn of turns) {
      run.log.push(...turn.events);
      if (this.trace !== undefined) this.traceTurn(this.trace, run, turn);
    }
    this.suite.observe(run, turns);
    for (const turn of turns) for (const effect of turn.effects) this.perform(run, effect);
    for (const turn of turns) {
      this.people.observe(run, turn);
      this.happenings.observe(run, turn);
    }
    if (run.facts.hasEnded && !wasEnded) {
      this.places.ended(run);
      this.children.ended(run);
      this.operators.ended(run);
    } else if (wasEnded) this.children.spentLate(run, turns);
    if (this.pace.chance(this.profile.crashAfterCommit)) {
      this.sometimes.hit("crash_after_commit");
      this.suite.compareFold(this.engine, run, this.pace);
      this.crash();
    }
    this.wakeups.plan();
  }

  private traceTurn(trace: (line: () => string) => void, { facts: { runId } }: SimRun, turn: Turn): void {
    for (const event of turn.events) trace(() => `event   ${runId} ${JSON.stringify(event)}`);
    for (const effect of turn.effects) trace(() => `effect  ${runId} ${JSON.stringify(effect)}`);
    if (turn.refusal !== undefined) trace(() => `refusal ${runId} ${JSON.stringify(turn.refusal)}`);
  }

  /** The process is gone: memory and volatile work with it. Its attempts are reported lost once another takes over. */
  private crash(): void {
    this.process += 1;
    this.downUntil = this.now + this.pace.between(10, 4_000);
    this.trace?.(() => `crash   ${this.now} back at ${this.downUntil}`);
    this.wakeups.forget();
    this.bridge.mayForget();
    this.turns.mayForget();
    for (const run of this.runs.values()) run.state = null;
    this.losses.afterCrash(this.downUntil - this.now);
    this.wakeups.plan();
  }

  private perform(run: SimRun, effect: Effect): void {
    const soon = this.pace.between(0, 3);
    switch (effect.type) {
      case "dispatch": {
        if (!takesTurns(effect)) return this.afterIfAlive(soon, () => this.bridge.dispatch(run, effect));
        const sent = this.turns.prepare(run, effect);
        return this.afterIfAlive(soon, () => this.turns.begin(sent));
      }
      case "cancel-dispatch":
        return this.afterIfAlive(soon, () => {
          this.bridge.cancel(effect.dispatchId);
          this.turns.cancel(effect.dispatchId);
        });
      case "set-timer":
        return this.deadlines.arm(run, effect);
      case "open-approval":
        return this.people.ask(run, effect);
      case "start-child":
        return this.after(soon, () => this.children.start(run, effect));
      case "pause-child":
        return this.after(soon, () => this.children.pause(run, effect.childRunId));
      case "cancel-child":
        return this.after(soon, () => this.children.cancel(run, effect));
      case "emit-event":
        return this.happenings.emitted(effect);
      case "close-approval":
      case "notify":
      case "request-verdict":
      case "request-round-verdict":
      case "request-tool-verdict":
    }
  }
}
