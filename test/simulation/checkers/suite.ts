import { isDeepStrictEqual } from "node:util";
import type { Carried, Dispatch, Input, RunState } from "../../../src/core/engine/index.ts";
import type { Engine, Turn } from "../engine.ts";
import type { Prng } from "../prng.ts";
import type { RunFacts } from "../world/facts.ts";
import { foldFact, nodeOf } from "../world/fold.ts";
import type { SimRun } from "../world/run.ts";
import type { MadeCall, PaidRound } from "../world/tool-server.ts";
import { type Checker, type MakeChecker, type Seen, type Surroundings, Violation } from "./checker.ts";

/** Shows every committed turn to every checker, event by event, before and after its fact is folded. */
export class Suite {
  private readonly makers: readonly MakeChecker[];
  private readonly seed: number;
  private checkers: readonly Checker[] = [];
  /** Split by what they look at: most checkers look at one thing only, and this loop is the hottest of all. */
  private beforeTurn: readonly Checker[] = [];
  private beforeEvent: readonly Checker[] = [];
  private afterEvent: readonly Checker[] = [];
  private afterTurn: readonly Checker[] = [];
  private afterCommit: readonly Checker[] = [];
  private readonly probes: ReadonlySet<string>;

  /** `probes`: which of the checks that must feed the engine themselves (E7, E9) are on. */
  constructor(makers: readonly MakeChecker[], seed: number, probes: readonly string[] = ["E7", "E9"]) {
    this.makers = makers;
    this.seed = seed;
    this.probes = new Set(probes);
  }

  connect(around: Surroundings): void {
    this.checkers = this.makers.map((make) => make(around, this.seed));
    this.beforeTurn = this.checkers.filter((checker) => checker.beforeTurn !== undefined);
    this.beforeEvent = this.checkers.filter((checker) => checker.beforeEvent !== undefined);
    this.afterEvent = this.checkers.filter((checker) => checker.afterEvent !== undefined);
    this.afterTurn = this.checkers.filter((checker) => checker.afterTurn !== undefined);
    this.afterCommit = this.checkers.filter((checker) => checker.afterCommit !== undefined);
  }

  observe(run: SimRun, turns: readonly Turn[]): void {
    const { facts } = run;
    for (const turn of turns) {
      for (const checker of this.beforeTurn) checker.beforeTurn?.(facts, turn);
      for (const event of turn.events) this.observeEvent({ facts, node: nodeOf(facts, event), event, turn });
      for (const checker of this.afterTurn) checker.afterTurn?.(facts, turn);
    }
    for (const checker of this.afterCommit) checker.afterCommit?.(facts, turns);
  }

  private observeEvent(seen: Seen): void {
    for (const checker of this.beforeEvent) checker.beforeEvent?.(seen);
    foldFact(seen.facts, seen.event);
    for (const checker of this.afterEvent) checker.afterEvent?.(seen);
  }

  sent(run: SimRun, dispatch: Dispatch): void {
    for (const checker of this.checkers) checker.sent?.(run.facts, dispatch);
  }

  made(run: SimRun, made: MadeCall): void {
    for (const checker of this.checkers) checker.made?.(run.facts, made);
  }

  paid(run: SimRun, paid: PaidRound): void {
    for (const checker of this.checkers) checker.paid?.(run.facts, paid);
  }

  restarted(source: RunFacts, named: string | undefined, carried: readonly Carried[]): void {
    for (const checker of this.checkers) checker.restarted?.(source, named, carried);
  }

  quiet(runs: readonly SimRun[]): void {
    for (const checker of this.checkers) checker.quiet?.(runs);
  }

  report(invariant: string, runId: string, message: string): void {
    throw new Violation(invariant, runId, message);
  }

  /** E7. Feeding an input twice equals once. */
  repeat(engine: Engine, run: SimRun, state: RunState, input: Input): void {
    if (!this.probes.has("E7") || !isRepeatable(state, input)) return;
    const { events, effects } = engine.advance(state, input);
    if (events.length === 0 && effects.length === 0) return;
    const types = [...events, ...effects].map((each) => each.type).join(", ");
    this.report("E7", run.facts.runId, `${describeInput(input)} submitted twice led to more: ${types}`);
  }

  /** E9. The live state equals the fold of the log, and a fold may be cut anywhere. */
  compareFold(engine: Engine, run: SimRun, pace: Prng): void {
    // Folding everything again is expensive; every fourth seed is enough to notice a difference within a few schedules.
    if (!this.probes.has("E9") || this.seed % 4 !== 0) return;
    const { workflow, runId } = run.facts;
    const whole = engine.replay(workflow.plan, runId, run.log);
    const cut = pace.below(run.log.length + 1);
    const pieced = engine.replay(workflow.plan, runId, run.log.slice(0, cut));
    for (const event of run.log.slice(cut)) engine.apply(pieced, event);
    requireSame(runId, whole, pieced, `a fold cut at ${cut} and the whole fold`);
    if (run.state !== null) requireSame(runId, whole, run.state, "the fold of the log and the live state");
  }
}

function requireSame(runId: string, left: RunState, right: RunState, what: string): void {
  for (const key of Object.keys(left) as (keyof RunState)[]) {
    const isSame =
      key === "ready" || key === "lanes" || key === "computing"
        ? isDeepStrictEqual(readyIn(left), readyIn(right)) && isDeepStrictEqual(lanesIn(left), lanesIn(right))
        : key === "nodes"
          ? isDeepStrictEqual(left.nodes.map(withoutCursor), right.nodes.map(withoutCursor))
          : isDeepStrictEqual(left[key], right[key]);
    if (!isSame) throw new Violation("E9", runId, `${what} differ in ${key}`);
  }
}

/** Where the search for the next instance to begin stands is a short cut, not a fact. */
function withoutCursor(node: RunState["nodes"][number]): unknown {
  return node.expansion === null ? node : { ...node, expansion: { ...node.expansion, next: 0 } };
}

/** The queue drops spent entries when it meets them; only those that still count are part of what is true. */
function readyIn({ ready, computing, nodes }: RunState): readonly string[] {
  return [
    ...counting(ready.entries.slice(ready.head), nodes),
    ...counting(computing.entries.slice(computing.head), nodes),
  ];
}

function lanesIn({ lanes, nodes }: RunState): readonly (readonly [number, number, readonly string[]])[] {
  return [...lanes]
    .map(([number, { inFlight, waiting }]) => [number, inFlight, counting(waiting, nodes)] as const)
    .filter(([, inFlight, waiting]) => inFlight > 0 || waiting.length > 0)
    .sort(([left], [right]) => left - right);
}

function counting(entries: RunState["ready"]["entries"], nodes: RunState["nodes"]): readonly string[] {
  return entries.flatMap(({ node, eventId }) => {
    const now = nodes[node]?.now;
    return now?.status === "queued" && now.eventId === eventId && !now.isLimited ? [`${node}@${eventId}`] : [];
  });
}

/**
 * Some inputs carry no identity: a second rewind, lost owner or wake-up is a second one, not a copy, and so is a recover
 * of a run that has failed once more, or an answer to a node that is blocked once more.
 */
function isOpenAboutCall({ approvals }: RunState, approvalId: string): boolean {
  const approval = approvals.get(approvalId);
  return approval?.status === "pending" && approval.source === "tool";
}

function isRepeatable(state: RunState, input: Input): boolean {
  switch (input.type) {
    case "rewind":
      return false;
    case "recover":
      return state.status === "running";
    case "cancel":
      // A second one ends what comes last.
      return state.finally === null;
    case "approval":
      // What the gates refuse of a call leaves the question open, and is judged as often as it is given.
      return input.decision !== "approve" || !isOpenAboutCall(state, input.approvalId);
    case "resolve":
      return state.nodes.every(({ id, now }) => id !== input.nodeId || now.status !== "blocked");
    case "timer":
      // A run that cancels older ones looks for its place again and again.
      if (input.timer.kind === "place") return state.plan.concurrency?.whenFull !== "cancel_old";
      return input.timer.kind !== "lost" && input.timer.kind !== "wake";
    default:
      return true;
  }
}

function describeInput(input: Input): string {
  return input.type === "timer" ? `timer ${input.timer.kind}` : input.type;
}
