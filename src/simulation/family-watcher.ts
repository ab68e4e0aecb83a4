import type { RunState } from "../core/engine/index.ts";
import type { EventOf, RunEvent } from "../core/event/index.ts";
import { type DurableDriver, isFamilyWaiting, type Launch } from "../driver/index.ts";
import type { RunPaths } from "../core/cases/index.ts";
import { sampleForm } from "../core/script/index.ts";
import type { Clock } from "../clock/index.ts";
import { keyDigest, signalTo } from "../core/engine/index.ts";
import { LIMITS } from "../core/base/index.ts";
import type { Answered, AnswerQuestion } from "./answer.ts";
import type { OutsideEvent } from "./outside-event.ts";

/** A run of the family, with its complete log. */
export interface FamilyRun {
  readonly runId: string;
  readonly log: readonly RunEvent[];
  /** The nodes that started the run, each with a slash: `block/`, `each[2]/`. Empty for the first run. */
  readonly prefix: string;
}

/** Watches a simulated run and the runs it starts, and answers their approvals. */
export class FamilyWatcher {
  readonly #logs = new Map<string, RunEvent[]>();
  hasEnded = false;
  readonly #driver: DurableDriver;
  readonly #orgId: string;
  readonly #answerQuestion: AnswerQuestion;
  readonly #clock: Clock;
  /** The run that is shown. Of the runs it starts, only approvals are answered. */
  #runId: string | null = null;
  /** Runs of the family that have not ended. */
  readonly #open = new Set<string>();
  /** The node that started each run. */
  readonly #callers = new Map<string, { readonly runId: string; readonly nodeId: string }>();
  /** Number of answers and events still to be sent. */
  #pending = 0;
  #hasBlocked = false;
  #isWaiting = false;

  readonly #paths: RunPaths;

  constructor(driver: DurableDriver, orgId: string, clock: Clock, paths: RunPaths, answer: AnswerQuestion) {
    this.#paths = paths;
    this.#driver = driver;
    this.#orgId = orgId;
    this.#clock = clock;
    this.#answerQuestion = answer;
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

  /** The log of the first run. */
  get log(): readonly RunEvent[] {
    return this.#logs.get(this.#runId ?? "") ?? [];
  }

  get family(): readonly FamilyRun[] {
    return [...this.#logs].map(([runId, log]) => ({ runId, log, prefix: this.#prefixOf(runId) }));
  }

  #prefixOf(runId: string): string {
    const caller = this.#callers.get(runId);
    return caller === undefined ? "" : `${this.#prefixOf(caller.runId)}${caller.nodeId}/`;
  }

  /** Sends events from outside at their time. */
  send(runId: string, events: readonly OutsideEvent[]): void {
    for (const [index, { afterMs, ...event }] of events.entries()) {
      const { type, key } = event.signal === null ? event : signalTo(runId, event.signal);
      const about = { id: `sent/${index}`, hops: 0, sentBy: null, keepMs: LIMITS.eventKeepMsMax, data: event.data };
      this.#later(afterMs, async () => {
        await this.#driver.receive(this.#orgId, [{ ...about, type, key, keyDigest: keyDigest(key) }]);
      });
    }
  }

  /** True when nothing more will happen by itself, as of the last check. */
  get isOver(): boolean {
    return this.hasEnded || this.#isWaiting;
  }

  /** Checks whether the family waits for a person. Call it when the driver has nothing left to do. */
  async look(): Promise<void> {
    this.#isWaiting = false;
    if (!this.#hasBlocked || this.hasEnded || this.#pending > 0) return;
    const states: RunState[] = [];
    for (const runId of this.#open) {
      const view = await this.#driver.stateOf(this.#orgId, runId);
      if (view !== undefined) states.push(view.state);
    }
    this.#isWaiting = states.length === this.#open.size && isFamilyWaiting(states);
  }

  #take(runId: string, event: RunEvent): void {
    this.#paths.take(runId, event);
    if (event.type === "run.started") this.#open.add(runId);
    if (event.type === "child.started") {
      this.#callers.set(event.payload.childRunId, { runId, nodeId: event.payload.nodeId });
    }
    if (event.type === "run.finally") {
      this.#callers.set(event.payload.childRunId, { runId, nodeId: "finally" });
    }
    if (event.type === "node.blocked") this.#hasBlocked = true;
    if (event.type === "approval.requested") this.#answer(runId, event);
    const isEnd = ENDINGS.has(event.type);
    if (isEnd) this.#open.delete(runId);
    const log = this.#logs.get(runId);
    if (log === undefined) this.#logs.set(runId, [event]);
    else log.push(event);
    this.hasEnded ||= isEnd && runId === this.#runId;
  }

  /** An approval without an answer stays open, as it would in a real run. */
  #answer(runId: string, { payload }: EventOf<"approval.requested">): void {
    const { nodeId, choices } = payload;
    const path = this.#paths.of(runId);
    const answer = this.#answerQuestion({ workflow: this.#workflowOf(runId), nodeId, path, choices });
    if (answer !== null) this.#later(answer.afterMs ?? 0, () => this.#submit(runId, payload, answer));
  }

  async #submit(runId: string, payload: EventOf<"approval.requested">["payload"], answer: Answered): Promise<void> {
    const { approvalId, quorum = 1, form } = payload;
    const { decision, by, reason } = answer;
    // The answer counts for as many people as the quorum requires. The first one enters the form, the others approve it.
    for (let person = 1; person <= quorum; person += 1) {
      const name = person === 1 ? by : `${by} ${person}`;
      const entered = form === undefined || person > 1 ? {} : { form: answer.form ?? sampleForm(form) };
      const input = { type: "approval", approvalId, decision, reason, by: name, ...entered } as const;
      await this.#driver.submit(this.#orgId, runId, input).catch(() => undefined);
    }
  }

  #workflowOf(runId: string): string {
    const [first] = this.#logs.get(runId) ?? [];
    return first?.type === "run.started" ? first.payload.workflow : "";
  }

  #later(afterMs: number, act: () => Promise<void>): void {
    this.#pending += 1;
    const perform = (): void => void act().finally(() => (this.#pending -= 1));
    if (afterMs === 0) perform();
    else this.#clock.after(afterMs, perform);
  }
}

const ENDINGS: ReadonlySet<RunEvent["type"]> = new Set([
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.timed_out",
]);
