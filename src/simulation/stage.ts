import type { RunState } from "../core/engine/index.ts";
import type { EventOf, RunEvent } from "../core/event/index.ts";
import { type DurableDriver, isFamilyWaiting, type Launch } from "../driver/index.ts";
import { sampleForm } from "../core/script/index.ts";
import { answerFor, type ApproveMode } from "./answer.ts";

/** Where a run and those it starts are watched while they go, and whatever they ask of people is answered. */
export class Stage {
  readonly log: RunEvent[] = [];
  /** Nodes of the run itself for which a person was asked, also in a run they started. */
  readonly askedFor = new Set<string>();
  hasEnded = false;
  readonly #driver: DurableDriver;
  readonly #orgId: string;
  readonly #approve: ApproveMode;
  /** The run that is shown; those it starts are only answered. */
  #runId: string | null = null;
  /** Runs of the family that have not ended. */
  readonly #open = new Set<string>();
  /** Which node of which run has started a run. */
  readonly #callers = new Map<string, { readonly runId: string; readonly nodeId: string }>();
  #pendingAnswers = 0;
  #hasBlocked = false;
  #isWaiting = false;

  constructor(driver: DurableDriver, orgId: string, approve: ApproveMode) {
    this.#driver = driver;
    this.#orgId = orgId;
    this.#approve = approve;
    driver.onCommitted((runId, events) => {
      this.#runId ??= runId;
      for (const event of events) this.#take(runId, event);
    });
  }

  async start({
    workflow,
    version,
    args,
    definitionHash,
    pinnedHash,
    gateway,
  }: Pick<Launch, "workflow" | "version" | "args" | "definitionHash" | "pinnedHash" | "gateway">): Promise<string> {
    await this.#driver.start();
    const outcome = await this.#driver.launch({
      orgId: this.#orgId,
      workflow,
      version,
      definitionHash,
      ...(pinnedHash === undefined ? {} : { pinnedHash }),
      args,
      trigger: "simulate",
      startedBy: null,
      ...(gateway === undefined ? {} : { gateway }),
    });
    if (outcome.kind !== "started") throw new Error("the simulation could not begin");
    return outcome.run.runId;
  }

  /** Nothing more will happen by itself, as of the last look. */
  get isOver(): boolean {
    return this.hasEnded || this.#isWaiting;
  }

  /** Whether the family waits for a person. To be asked when the driver has nothing left to do. */
  async look(): Promise<void> {
    this.#isWaiting = false;
    if (!this.#hasBlocked || this.hasEnded || this.#pendingAnswers > 0) return;
    const states: RunState[] = [];
    for (const runId of this.#open) {
      const view = await this.#driver.stateOf(this.#orgId, runId);
      if (view !== undefined) states.push(view.state);
    }
    this.#isWaiting = states.length === this.#open.size && isFamilyWaiting(states);
  }

  #take(runId: string, event: RunEvent): void {
    if (event.type === "run.started") this.#open.add(runId);
    if (event.type === "child.started") {
      this.#callers.set(event.payload.childRunId, { runId, nodeId: event.payload.nodeId });
    }
    if (event.type === "run.finally") {
      this.#callers.set(event.payload.childRunId, { runId, nodeId: "finally" });
    }
    if (event.type === "node.blocked") this.#hasBlocked = true;
    if (event.type === "approval.requested") {
      this.#noteAsked(runId, event.payload.nodeId);
      void this.#answer(runId, event);
    }
    const isEnd = ENDINGS.has(event.type);
    if (isEnd) this.#open.delete(runId);
    if (runId !== this.#runId) return;
    this.log.push(event);
    this.hasEnded ||= isEnd;
  }

  #noteAsked(runId: string, nodeId: string): void {
    const caller = this.#callers.get(runId);
    if (caller === undefined) this.askedFor.add(nodeId);
    else this.#noteAsked(caller.runId, caller.nodeId);
  }

  /** What cannot be answered stays open, as it would. */
  async #answer(runId: string, { payload }: EventOf<"approval.requested">): Promise<void> {
    const answer = answerFor(payload.choices, this.#approve);
    if (answer === null) return;
    this.#pendingAnswers += 1;
    const { approvalId, quorum = 1, form } = payload;
    // It stands for as many people as there have to be; what the first of them enters, the others approve.
    for (let person = 1; person <= quorum; person += 1) {
      const by = person === 1 ? answer.by : `${answer.by} ${person}`;
      const entered = form === undefined || person > 1 ? {} : { form: sampleForm(form) };
      const input = { type: "approval", approvalId, ...answer, by, ...entered } as const;
      await this.#driver.submit(this.#orgId, runId, input).catch(() => undefined);
    }
    this.#pendingAnswers -= 1;
  }
}

const ENDINGS: ReadonlySet<RunEvent["type"]> = new Set([
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.timed_out",
]);
