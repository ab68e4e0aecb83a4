import type { Adapter, AdapterRequest, AdapterResult } from "./adapter.ts";
import { callAdapter } from "./conformance-call.ts";
import { TrialJudge, type TrialJudgeOptions, type TrialStep } from "./conformance-judge.ts";
import { broken, type Finding, kept, untested } from "./conformance-report.ts";
import { sampleRequest, type Sample } from "./conformance-request.ts";
import { readResult } from "./conformance-result.ts";

/** The adapter, sample and time limit that the checks of turns share. */
export interface TurnBench {
  readonly adapter: Adapter;
  /** A request whose turn calls at least one tool. Undefined when turns are not tested. */
  readonly turn: Sample | undefined;
  readonly answerWithinMs: number;
}

const NO_SAMPLE = "Give a request that calls a tool (`turn`) to test this.";
const NO_CALL = "The turn called no tool.";

/** Runs one turn, execution after execution, with its own judge. */
class Trial {
  readonly judge: TrialJudge;
  readonly #bench: TurnBench;
  readonly #request: AdapterRequest;
  #segment = 0;

  constructor(bench: TurnBench, canary: string, options: Omit<TrialJudgeOptions, "idempotencyKey"> = {}) {
    this.#bench = bench;
    this.#request = sampleRequest(bench.adapter.provider, bench.turn, canary);
    this.judge = new TrialJudge({ idempotencyKey: this.#request.idempotencyKey, ...options });
  }

  /** Runs the next execution. Undefined when the adapter gave no result, or one that breaks the interface. */
  async run(): Promise<AdapterResult | undefined> {
    const again = this.#segment === 0 ? {} : { segment: this.#segment, resume: this.judge.resume() };
    this.#segment += 1;
    const { outcome } = await callAdapter(
      this.#bench.adapter,
      { ...this.#request, ...again },
      { withinMs: this.#bench.answerWithinMs, turn: this.judge.hooks },
    );
    return readResult(outcome);
  }
}

/** Time an adapter has to be seen not to wait for the acknowledgement of what it reports. */
const ACKNOWLEDGE_AFTER_MS = 50;

/**
 * Checks that a round is reported before its calls are made, and each result before the next round, and that each report
 * is acknowledged before anything that follows from it.
 */
export async function checkTurnOrder(bench: TurnBench): Promise<Finding> {
  if (bench.turn === undefined) return untested(NO_SAMPLE);
  const trial = new Trial(bench, "order", { acknowledgeAfterMs: ACKNOWLEDGE_AFTER_MS });
  const result = await trial.run();
  const [hasty] = trial.judge.hasty;
  if (hasty !== undefined)
    return broken(`It did not wait for the reply to what it had reported before ${nameOf(hasty)}.`);
  const early = earlyResult(trial.judge.steps);
  if (early !== undefined) return broken(`The result of ${early} was reported before the call was judged.`);
  if (result?.status !== "completed")
    return broken(`The turn ended as ${describe(result)}; all its calls were allowed.`);
  const { steps, calls } = trial.judge;
  if (calls.length === 0) return untested(NO_CALL);
  const silent = calls.find(({ callId }) => !trial.judge.hasResult(callId));
  if (silent !== undefined) return broken(`The call ${silent.callId} was allowed, and its result was never reported.`);
  const isDurable = bench.adapter.capabilities().turns === "durable";
  if (isDurable && !steps.some(({ kind }) => kind === "round")) return broken("No round was reported.");
  return lateResult(steps) ?? kept(`${trial.judge.rounds} rounds, ${calls.length} calls`);
}

/** Returns the first call whose result was reported before its round, and before it was asked about. */
function earlyResult(steps: readonly TrialStep[]): string | undefined {
  const asked = new Set<string>();
  let rounds = 0;
  for (const step of steps) {
    if (step.kind === "round") rounds += 1;
    else if (step.kind === "ask") asked.add(step.callId);
    else if (!asked.has(step.callId) && roundOf(step.callId) >= rounds) return step.callId;
  }
  return undefined;
}

/** Returns a finding when a result was reported after a later round. */
function lateResult(steps: readonly TrialStep[]): Finding | undefined {
  let rounds = 0;
  for (const step of steps) {
    if (step.kind === "round") rounds += 1;
    else if (step.kind === "result" && roundOf(step.callId) < rounds - 1) {
      return broken(`The result of ${step.callId} was reported after the next round.`);
    }
  }
  return undefined;
}

function roundOf(callId: string): number {
  return Number(callId.split("/").at(-2));
}

export async function checkTurnDenial(bench: TurnBench): Promise<Finding> {
  if (bench.turn === undefined) return untested(NO_SAMPLE);
  const trial = new Trial(bench, "denial", { rule: () => ({ disposition: "deny", reason: "The suite denies it." }) });
  const result = await trial.run();
  if (result === undefined) return broken("It gave no result when its calls were denied.");
  const [first] = trial.judge.calls;
  if (first === undefined) return untested(NO_CALL);
  const made = trial.judge.calls.find(({ callId }) => trial.judge.hasResult(callId));
  if (made !== undefined) return broken(`The call ${made.callId} was denied, and has a result.`);
  return kept(`Its calls were denied, and it ended as ${describe(result)}.`);
}

/** Checks that a held call ends the execution, and that after it is allowed it is made once and the turn continues from there. */
export async function checkTurnSuspension(bench: TurnBench): Promise<Finding> {
  if (bench.turn === undefined) return untested(NO_SAMPLE);
  if (bench.adapter.capabilities().turns !== "durable") return untested("It waits for the person who is asked.");
  let isHeld = false;
  const trial = new Trial(bench, "suspension", {
    rule: () => {
      const disposition = isHeld ? "allow" : "suspend";
      isHeld = true;
      return { disposition };
    },
  });
  const first = await trial.run();
  const held = trial.judge.calls.find(({ ruling }) => ruling?.disposition === "suspend");
  if (held === undefined) return untested(NO_CALL);
  if (first?.status !== "suspended") return broken(`A call was held, and the execution ended as ${describe(first)}.`);
  if (trial.judge.hasResult(held.callId)) return broken(`The call ${held.callId} was held, and has a result.`);
  const rounds = trial.judge.rounds;
  trial.judge.answer(held.callId, { disposition: "allow" });
  const second = await trial.run();
  if (second?.status !== "completed") return broken(`After the answer it ended as ${describe(second)}.`);
  if (!trial.judge.hasResult(held.callId)) return broken(`The call ${held.callId} was allowed, and never reported.`);
  return kept(`It was suspended after ${rounds} rounds and completed after ${trial.judge.rounds}.`);
}

/** Ends the execution after each new report. Checks that no acknowledged round and no call with a result is repeated. */
export async function checkTurnResume(bench: TurnBench): Promise<Finding> {
  if (bench.turn === undefined) return untested(NO_SAMPLE);
  if (bench.adapter.capabilities().turns !== "durable") return untested("It does not continue after a loss.");
  const seen = new Set<string>();
  const repeated: string[] = [];
  const posthumous: string[] = [];
  let left = 1;
  const trial = new Trial(bench, "resume", {
    watch: (step, when) => {
      const name = nameOf(step);
      if (when === "before" && seen.has(name)) repeated.push(name);
      // The other calls of the round may report before the adapter has learned that its attempt is over.
      if (left <= 0 && step.kind === "round") posthumous.push(name);
      if (when === "before") return;
      seen.add(name);
      left -= 1;
      if (left === 0) throw new Error("The suite ends the execution here.");
    },
  });
  for (let life = 0; life < LIVES_MAX; life += 1) {
    left = 1;
    const result = await trial.run();
    if (repeated.length > 0) return broken(`It reported again what was acknowledged: ${repeated.join(", ")}.`);
    if (posthumous.length > 0) return broken(`It went on after its attempt was over, with ${posthumous.join(", ")}.`);
    if (result === undefined) return broken("It gave no result when its attempt was over.");
    if (result.status === "completed")
      return seen.size < 2 ? untested(NO_CALL) : kept(`It went through ${life + 1} lives.`);
  }
  return broken(`It had not come to its end after ${LIVES_MAX} executions.`);
}

const LIVES_MAX = 50;

function nameOf(step: TrialStep): string {
  return step.kind === "round" ? `round ${step.round}` : `${step.kind} ${step.callId}`;
}

function describe(result: AdapterResult | undefined): string {
  if (result === undefined) return "no result";
  return result.status === "failed" ? `failed (${result.failure}: ${result.message.slice(0, 200)})` : result.status;
}
