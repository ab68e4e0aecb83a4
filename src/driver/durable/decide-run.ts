import {
  advance,
  type Effect,
  findNode,
  withRounds,
  type Refusal,
  type RunState,
  type RequestRoundVerdict,
  type RequestToolVerdict,
  type RequestVerdict,
  type Timer,
  type UnstampedInput,
} from "../../core/engine/index.ts";
import type { Clock } from "../../clock/index.ts";
import { attemptKey } from "../../core/event/index.ts";
import type { AboutRun, Admission, Judge, QueuePlace, RulingRecord, TurnTaking } from "../../governance/index.ts";
import type { AttemptReport, PlaceChange } from "../../store/index.ts";
import { claimPlace, type PlacesFound } from "./claim-place.ts";
import { CommitFacts } from "./commit-facts.ts";
import type { Decided } from "./derive-commit.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { Moderator } from "./moderator.ts";
import { pricedReport } from "./pricing.ts";
import type { ResolvedInput, Taken } from "./input-queue.ts";
import type { TurnSeal } from "./turn-seal.ts";

/** The decisions for one run of a batch, and the inputs whose callers wait for them. */
export interface Work extends Decided {
  readonly taken: Taken;
  readonly refusals: readonly (Refusal | undefined)[];
  /** Runs that are cancelled to make room for this one. */
  readonly victims: readonly string[];
}

/** Capacity taken by rulings, which counts from that moment. */
export interface Takings {
  /** Taken for attempts, by node and attempt. */
  readonly admissions: Map<string, Admission>;
  readonly inTurns: TurnTaking[];
}

export interface DecidingOptions {
  readonly judge: Judge;
  readonly moderator: Pick<Moderator, "before">;
  readonly clock: Pick<Clock, "now">;
  readonly jitter: () => number;
  readonly seal: TurnSeal;
}

/**
 * Decides every input of the run and every verdict that results, all at the same moment. Capacity is added to `taking` as soon
 * as it is taken, so that the caller can return it when this throws.
 */
export function decideRun(
  taken: Taken,
  live: DrivenRun,
  { judge, moderator, clock, jitter, seal }: DecidingOptions,
  taking: Takings,
  found?: PlacesFound,
): Work {
  const { admissions, inTurns } = taking;
  const { state } = live;
  const at = Math.max(live.lastAt, clock.now());
  live.lastAt = at;
  const about = aboutRun(live, at);
  const facts = new CommitFacts({ live, about, admissions, judge });
  const around = aroundRun(judge, live.run);
  const effects: Effect[] = [];
  const firedTimers: Timer[] = [];
  const reports: AttemptReport[] = [];
  const rulings: RulingRecord[] = [];
  const places = new Map<string, QueuePlace>();
  let claimed: PlaceChange | null = null;
  const victims: string[] = [];
  const ruled: Ruled = { live, facts, judge, moderator, admissions, inTurns, rulings, places, at };
  const refusals = taken.waiting.map((waiting) => {
    const resolved = typeof waiting.input === "function" ? waiting.input(live) : { input: waiting.input };
    const { input, report }: ResolvedInput = resolved;
    if (input === null) return undefined;
    if (report !== undefined) reports.push(report);
    if (input.type === "timer") firedTimers.push(input.timer);
    const claim = claimPlace(live, input, at, found);
    if (claim.refusal !== undefined) return claim.refusal;
    claimed = claim.change ?? claimed;
    victims.push(...claim.victims);
    const priced = withCredits(pricedReport(seal.sealed(claim.input, live), live, about, judge), live, about, judge);
    // The copied object is spread last: copying it first and extending it costs ten times as much.
    const chance = jitter();
    const open: (UnstampedInput | Request)[] = [priced];
    let refusal: Refusal | undefined;
    for (const next of open) {
      const answer = isRequest(next) ? ruleOn(ruled, next) : next;
      if (answer === null) continue;
      const turn = advance(state, { at, jitter: chance, ...around, ...answer });
      facts.add(turn.events);
      for (const effect of turn.effects) {
        if (isRequest(effect)) open.push(effect);
        else effects.push(effect);
      }
      refusal ??= turn.refusal;
    }
    return refusal;
  });
  live.hasBegun = hasBegun(live);
  return {
    taken,
    live,
    about,
    facts,
    effects,
    firedTimers,
    refusals,
    reports,
    rulings,
    places,
    admissions,
    inTurns,
    at,
    claimed,
    victims,
  };
}

/** Facts of the organisation of the run, and the model with which the run was started. */
function aroundRun(judge: Judge, { orgId, workflow, model }: DrivenRun["run"]) {
  const { countsBlocks } = judge;
  return { agents: judge.agentsOf?.(orgId), model, countsBlocks, isPausedAround: judge.isPaused?.(orgId, workflow) };
}

interface Ruled extends Pick<DecidingOptions, "judge" | "moderator"> {
  readonly live: DrivenRun;
  readonly facts: CommitFacts;
  readonly admissions: Map<string, Admission>;
  readonly inTurns: TurnTaking[];
  readonly rulings: RulingRecord[];
  readonly places: Map<string, QueuePlace>;
  readonly at: number;
}

/** Requests that are answered within the same commit. */
type Request = RequestVerdict | RequestRoundVerdict | RequestToolVerdict;

function isRequest(one: UnstampedInput | Effect): one is Request {
  return one.type === "request-verdict" || one.type === "request-round-verdict" || one.type === "request-tool-verdict";
}

function ruleOn(ruled: Ruled, request: Request): UnstampedInput | null {
  switch (request.type) {
    case "request-verdict":
      return rule(ruled, request);
    case "request-round-verdict":
      return ruleRound(ruled, request);
    case "request-tool-verdict":
      return ruleCall(ruled, request);
  }
}

/** Without a judge there are no limits. */
function ruleRound(
  { live, facts, judge, rulings, inTurns, at }: Ruled,
  request: RequestRoundVerdict,
): UnstampedInput | null {
  const { nodeId, epoch } = request;
  const node = findNode(live.state, nodeId);
  if (node === undefined || !live.state.askedRounds.has(node.index)) return null;
  const ruling = judge.decideRound?.(request, aboutRun(live, at, facts), facts.heldBy(nodeId));
  if (ruling === undefined) return { type: "round_verdict", nodeId, epoch, verdict: { disposition: "go" } };
  rulings.push(ruling);
  if (ruling.taken !== null) inTurns.push(ruling.taken);
  if (ruling.reserved !== null) facts.reserveAnew(nodeId, ruling.reserved);
  return { type: "round_verdict", nodeId, epoch, verdict: ruling.verdict };
}

function ruleCall(
  { live, facts, judge, rulings, inTurns, at }: Ruled,
  request: RequestToolVerdict,
): UnstampedInput | null {
  const { nodeId, epoch, callId } = request;
  if (!live.state.askedCalls.has(callId)) return null;
  const ruling = judge.decideTool?.(request, aboutRun(live, at, facts));
  if (ruling !== undefined) {
    rulings.push(ruling);
    if (ruling.taken !== null) inTurns.push(ruling.taken);
  }
  const verdict = ruling?.verdict ?? {
    disposition: "allow",
    verdictId: `vrd_${callId}`,
    action: "execute",
    effects: "at_least_once",
  };
  return { type: "tool_verdict", nodeId, epoch, callId, verdict };
}

/** Evaluates a request in order, not earlier: a request that an earlier verdict made obsolete takes no slot and no money. */
function rule({ live, facts, judge, moderator, ...ruled }: Ruled, effect: RequestVerdict): UnstampedInput | null {
  const { nodeId, epoch, nextAttempt } = effect;
  const { at } = ruled;
  if (!isAsked(live, effect)) return null;
  const moderated = moderator.before(live, effect);
  if (moderated !== undefined) return { type: "verdict", nodeId, epoch, verdict: moderated };
  const ruling = judge.decide(effect, aboutRun(live, at, facts));
  ruled.rulings.push(ruling);
  if (ruling.taken !== undefined) ruled.inTurns.push(ruling.taken);
  if (ruling.place !== null) ruled.places.set(nodeId, ruling.place);
  if (ruling.admission !== null) ruled.admissions.set(attemptKey({ nodeId, attempt: nextAttempt }), ruling.admission);
  return { type: "verdict", nodeId, epoch, verdict: ruling.verdict };
}

/** Adds the credits charged for completed work, by the current credit plan. */
function withCredits(input: UnstampedInput, live: DrivenRun, about: AboutRun, judge: Judge): UnstampedInput {
  if (input.type !== "callback" || input.result.status !== "completed") return input;
  const node = findNode(live.state, input.nodeId);
  const spent = withRounds(node ?? { turn: null }, input.result);
  const creditsCharged = judge.creditsOf?.(about, { ...input.result, ...spent }) ?? null;
  return creditsCharged === null ? input : { ...input, result: { ...input.result, creditsCharged } };
}

function isAsked({ state }: DrivenRun, { nodeId, epoch }: RequestVerdict): boolean {
  const node = findNode(state, nodeId);
  return node !== undefined && node.epoch === epoch && state.asked.has(node.index);
}

function hasBegun({ run, state, hasBegun: before }: DrivenRun): boolean {
  const { completed, failed, running, streaming, retrying, timed_out: timedOut } = state.counts;
  return before || run.parentRunId !== null || completed + failed + running + streaming + retrying + timedOut > 0;
}

/** `returned` are the facts of this commit decided so far. Args, depth and placement may have become known in this commit. */
function aboutRun(live: DrivenRun, at: number, returned?: CommitFacts): AboutRun {
  const { run, state } = live;
  const { orgId, runId, workflow, gateway, model, roleBindings, team, priority } = run;
  // For a block, policies see the args and depth of the run to which it belongs.
  const { args, depth } = state.owner ?? { args: state.args, depth: state.recursionDepth };
  return {
    orgId,
    runId,
    plan: state.plan,
    workflow,
    depth,
    gateway,
    placement: state.placement,
    model,
    roleBindings,
    team,
    args,
    isBegun: hasBegun(live),
    priority,
    at,
    nextEventId: state.lastEventId + 1,
    returned,
    parallel: parallelOf(state),
  };
}

/** A run shares `max_parallel` with its blocks, at every depth. Undefined for a run without blocks, which is counted alone. */
function parallelOf({ owner, runId, plan }: RunState): AboutRun["parallel"] {
  if (owner === null && plan.blocks.size === 0) return undefined;
  return { runId: owner?.runId ?? runId, limit: plan.maxParallel };
}
