import type { Clock } from "../../clock/index.ts";
import type { Judge } from "../../governance/index.ts";
import { type RunStore, StoreUnavailable } from "../../store/index.ts";
import { DuplicateRun } from "./duplicate-run.ts";
import type { InputOutcome, InputQueue } from "./input-queue.ts";
import { carriedFor, createLive, placed, refused, resolveDuplicateLaunch, startOf } from "./launch.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { PlanCache } from "./plan-cache.ts";
import type { Launch, LaunchOutcome, Runtime } from "./runtime.ts";
import type { StartAdmission } from "./start-admission.ts";
import type { TurnSeal } from "./turn-seal.ts";

export interface RunStarterOptions {
  readonly queue: InputQueue;
  readonly plans: PlanCache;
  readonly admission: StartAdmission;
  readonly judge: Judge;
  readonly store: Pick<RunStore, "getRun">;
  readonly clock: Clock;
  readonly seal: TurnSeal;
}

/** Starts runs: those that a caller requests, and child runs that a parent has requested in a commit. */
export class RunStarter {
  readonly #options: RunStarterOptions;

  constructor(options: RunStarterOptions) {
    this.#options = options;
  }

  /** `states`: source of the states of the run that this one continues. */
  async start(launch: Launch, states: Pick<Runtime, "stateOf" | "stateAt">): Promise<LaunchOutcome> {
    const end = await this.#options.admission.admit(launch.orgId);
    try {
      return await this.#start(launch, states);
    } finally {
      end();
    }
  }

  async #start(launch: Launch, states: Pick<Runtime, "stateOf" | "stateAt">): Promise<LaunchOutcome> {
    const { plans, store, seal } = this.#options;
    const plan = await plans.ofRun(launch);
    if (plan === undefined) return refused("unknown_definition", "the definition is not in the store");
    const kept = await carriedFor({ states, seal }, launch);
    if ("refusal" in kept) return { kind: "refused", refusal: kept.refusal };
    const pinned = await placed(launch, plan, this.#options.judge);
    const live = createLive(pinned, plan, this.#options.clock.now());
    const outcome = await this.#begin(live, pinned, kept.carried);
    if (outcome.kind === "committed") return { kind: "started", run: outcome.live.run };
    if (outcome.kind === "failed" && outcome.error instanceof DuplicateRun)
      return resolveDuplicateLaunch(store, launch, outcome.error);
    throw outcome.kind === "failed" ? outcome.error : new Error(`the run ${live.state.runId} is gone`);
  }

  /**
   * Starts a child run under the id that its parent chose. On a repeated call the run exists already and refuses to
   * start again. Returns the reason why it cannot begin, or null when it has begun. Throws when it can begin later.
   */
  async startChild(launch: Launch, states: Pick<Runtime, "stateOf" | "stateAt">): Promise<string | null> {
    const plan = await this.#options.plans.ofRun(launch);
    if (plan === undefined) throw new Error(`the definition ${launch.definitionHash} is not in the store`);
    const pinned = await placed(launch, plan, this.#options.judge);
    // When nothing of the earlier block is left, the block starts from its beginning.
    const kept = await carriedFor({ states, seal: this.#options.seal }, launch);
    const carried = "refusal" in kept ? undefined : kept.carried;
    const outcome = await this.#begin(createLive(pinned, plan, this.#options.clock.now()), pinned, carried);
    if (outcome.kind !== "failed") return null;
    // The organisation is being moved, and the timer of the parent starts the child in its new cell. Any other error is a bug, which a
    // retry would hit again.
    if (outcome.error instanceof StoreUnavailable) throw outcome.error;
    return outcome.error.message;
  }

  #begin(live: DrivenRun, launch: Launch, carried: Parameters<typeof startOf>[1]): Promise<InputOutcome> {
    return this.#options.queue.submit(live.state.runId, startOf(launch, carried, live.run.labels), live);
  }
}
