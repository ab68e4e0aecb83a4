import type { Adapter } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { RunState } from "../core/engine/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import type { Plan } from "../core/plan/index.ts";
import { sampleForm } from "../core/script/index.ts";
import { DurableDriver, isFamilyWaiting, newRunId } from "../driver/index.ts";
import type { Judge } from "../governance/index.ts";
import { storeUnsavedWorkflow, openChildPreparer, type UnsavedWorkflow } from "../launch/index.ts";
import { createMemoryStore, type NewEvent, type Store } from "../store/index.ts";
import { ApprovalPrompt, type Asked, isClosed } from "./approval-prompt.ts";
import type { AnswerApproval, ApprovalAnswer } from "./approvals.ts";

export interface OwnEngineOptions {
  readonly clock: Clock;
  readonly adapters: readonly Adapter[];
  readonly judge: Judge;
  /** Answers the approvals of the whole family. Null when they stay open. */
  readonly answer: AnswerApproval | null;
  readonly onLeftOpen: (approvalId: string, why: string) => void;
  /** Called after each commit of a run of the family, which includes the runs it starts. */
  readonly onEvents: (runId: string, events: readonly RunEvent[]) => void;
  readonly shapePlan?: (plan: Plan) => Plan;
  readonly jitter?: () => number;
  readonly runId?: string;
}

/** The workflow to run, with its plan. */
export interface CompiledWorkflow extends UnsavedWorkflow {
  readonly plan: Plan;
  readonly version: number | null;
}

export type Settlement =
  | { readonly kind: "ended"; readonly state: RunState }
  /** The run continues only after a person acts: an approval is open, or a blocked node needs values. */
  | { readonly kind: "waiting"; readonly state: RunState; readonly approvals: readonly Asked[] }
  /** A bug occurred. The log contains everything up to the last good commit, and then the event of the failure. */
  | { readonly kind: "parked"; readonly state: RunState; readonly message: string };

type Rest =
  | { readonly kind: "ended" }
  | { readonly kind: "waiting" }
  | { readonly kind: "parked"; readonly message: string };

const ORG = "local";

/** Runs one run and the runs it starts with the driver of a server. Nothing is stored outside this process. */
export class OwnEngine {
  readonly runId: string;
  readonly #options: OwnEngineOptions;
  readonly #store: Store;
  readonly #driver: DurableDriver;
  readonly #prompt: ApprovalPrompt;
  /** Runs of the family that have not ended, with the last event seen of each. */
  readonly #open = new Map<string, number>();
  readonly #asked = new Map<string, { readonly runId: string; readonly question: Asked }>();
  readonly #rest: Promise<Rest>;
  #settle: (rest: Rest) => void = () => undefined;
  #break: (error: unknown) => void = () => undefined;
  #hasBlocked = false;
  #isCancelled = false;
  #isChecking = false;
  #mustCheckAgain = false;

  constructor(options: OwnEngineOptions) {
    const { clock, adapters, judge, answer, onLeftOpen, shapePlan, jitter } = options;
    this.#options = options;
    this.runId = options.runId ?? newRunId(clock.now());
    this.#rest = new Promise((settle, fail) => {
      this.#settle = settle;
      this.#break = fail;
    });
    // A rejection is ignored here for callers that do not wait for the end.
    this.#rest.catch(() => undefined);
    // The store belongs to this process only, so there is no other replica to take over from and no lease that can expire.
    this.#store = { ...createMemoryStore({ now: () => clock.now() }), takeOver: async () => [] };
    this.#driver = new DurableDriver({
      store: this.#store,
      clock,
      adapters,
      judge,
      children: () => this.#childPreparer(),
      monotonic: () => 0,
      isUnavailable: () => false,
      supersedesAll: true,
      onTrouble: (what, error) => this.#break(new Error(what, { cause: error })),
      // The log of the run records it, and this class reads the log.
      onBug: () => undefined,
      ...(shapePlan === undefined ? {} : { shapePlan }),
      ...(jitter === undefined ? {} : { jitter }),
    });
    this.#driver.onCommitted((runId, events) => this.#take(runId, events));
    this.#prompt = new ApprovalPrompt({
      answer,
      submitAnswer: (asked, given) => this.#submitAnswer(asked, given),
      onLeftOpen,
      onDone: () => this.#checkWaiting(),
    });
  }

  /** Starts the run. The args must have been checked against the plan already. */
  async start(
    workflow: CompiledWorkflow,
    args: JsonObject,
    { trigger, traceId }: { trigger: string; traceId?: string },
  ) {
    await this.#driver.start();
    const text = await storeUnsavedWorkflow(this.#store, ORG, workflow);
    const { runId } = this;
    const about = {
      orgId: ORG,
      runId,
      workflow: workflow.plan.name,
      version: workflow.version,
      trigger,
      startedBy: null,
    };
    const outcome = await this.#driver.launch({
      ...about,
      ...text,
      args,
      ...(traceId === undefined ? {} : { traceId }),
    });
    if (outcome.kind !== "started") throw new Error(`the run could not be started: ${outcome.kind}`);
    // The run was cancelled while it was starting.
    if (this.#isCancelled) this.#submitCancel();
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#submitCancel();
  }

  /** Takes an event as if it had come from outside. */
  async receive(event: NewEvent): Promise<void> {
    await this.#driver.receive(ORG, [event]);
  }

  /** Waits until the run has ended, or only a person could make it continue. */
  async whenSettled(): Promise<Settlement> {
    const rest = await this.#rest;
    const view = await this.#driver.stateOf(ORG, this.runId);
    if (view === undefined) throw new Error(`the run ${this.runId} is gone`);
    const { state } = view;
    if (rest.kind !== "waiting") return { ...rest, state };
    return { kind: "waiting", state, approvals: [...this.#asked.values()].map(({ question }) => question) };
  }

  /** Ends all timers and requests, so that nothing keeps the process alive. */
  async stop(): Promise<void> {
    this.#prompt.close();
    await this.#driver.stop();
  }

  #childPreparer() {
    const { clock } = this.#options;
    return openChildPreparer({
      store: this.#store,
      runtime: () => this.#driver,
      governor: null,
      now: () => clock.now(),
    });
  }

  #submitCancel(): void {
    this.#driver
      .submit(ORG, this.runId, { type: "cancel", reason: "cancelled_by_person" })
      .catch((error: unknown) => this.#break(error));
  }

  #take(runId: string, events: readonly RunEvent[]): void {
    try {
      this.#options.onEvents(runId, events);
      for (const event of events) this.#note(runId, event);
      this.#checkWaiting();
    } catch (error) {
      // A failure while showing events must not reach the driver.
      this.#break(error);
    }
  }

  #note(runId: string, event: RunEvent): void {
    this.#open.set(runId, event.eventId);
    if (event.type === "node.blocked") this.#hasBlocked = true;
    if (event.type === "approval.requested")
      this.#asked.set(event.payload.approvalId, { runId, question: event.payload });
    if (event.type === "approval.resolved") this.#asked.delete(event.payload.approvalId);
    this.#prompt.note(event);
    if (ENDINGS.has(event.type)) this.#noteEnd(runId, event);
  }

  #noteEnd(runId: string, { type, payload }: RunEvent): void {
    this.#open.delete(runId);
    if (runId !== this.runId) return;
    const isBug = type === "run.failed" && payload.errorCode === "engine_bug";
    this.#settle(isBug ? { kind: "parked", message: payload.reason ?? "" } : { kind: "ended" });
  }

  /** Answers for as many people as the quorum needs, as only one person is here. A form is filled in with sample values. */
  async #submitAnswer({ approvalId, quorum = 1, form }: Asked, given: ApprovalAnswer): Promise<string | null> {
    const asked = this.#asked.get(approvalId);
    if (asked === undefined) return null;
    for (let person = 1; person <= quorum; person += 1) {
      const by = person === 1 ? given.by : `${given.by} ${person}`;
      const entered = form === undefined || person > 1 ? {} : { form: sampleForm(form) };
      const input = { type: "approval", approvalId, ...entered, ...given, by } as const;
      const { refusal } = (await this.#driver.submit(ORG, asked.runId, input)) ?? {};
      if (refusal !== undefined) return isClosed(refusal.code) ? null : refusal.message;
    }
    return null;
  }

  /** Checks whether the family waits for a person. If no node was ever blocked, it cannot be waiting. */
  #checkWaiting(): void {
    if (!this.#hasBlocked) return;
    this.#mustCheckAgain = true;
    if (!this.#isChecking) void this.#checkUntilSettled();
  }

  async #checkUntilSettled(): Promise<void> {
    this.#isChecking = true;
    try {
      while (this.#mustCheckAgain) {
        this.#mustCheckAgain = false;
        if (await this.#isWaiting()) this.#settle({ kind: "waiting" });
      }
    } catch (error) {
      this.#break(error);
    } finally {
      this.#isChecking = false;
    }
  }

  async #isWaiting(): Promise<boolean> {
    const states: RunState[] = [];
    const runIds = [...this.#open.keys()];
    for (const runId of runIds) {
      const view = await this.#driver.stateOf(ORG, runId);
      if (view === undefined) return false;
      states.push(view.state);
    }
    if (this.#prompt.isAsking || this.#isCancelled) return false;
    // A state may be newer than the last commit that was seen. The check is repeated when that commit arrives.
    const isSeen = states.every((state) => this.#open.get(state.runId) === state.lastEventId);
    return isSeen && states.length === this.#open.size && isFamilyWaiting(states);
  }
}

const ENDINGS: ReadonlySet<RunEvent["type"]> = new Set([
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.timed_out",
]);
