import { isTerminal, type RunEvent } from "../core/event/index.ts";
import { eventOfFrame, type PlanOutline, type RunView } from "../core/view/index.ts";
import { ApiError } from "../client/index.ts";
import type { Api } from "./api.ts";
import { ApprovalPrompt, type Asked, isClosed } from "./approval-prompt.ts";
import { type ApprovalAnswer, type ApproveMode, chooseAnswer } from "./approvals.ts";
import { chooseProgress } from "./choose-progress.ts";
import { EXIT } from "./exit-code.ts";
import { type Io, isAtTerminal } from "./io.ts";
import { withLargeValues } from "./large-value.ts";
import { leaveOnInterrupt } from "./leaving.ts";
import { exitCodeOf, printFailures, printOutcome } from "./run-outcome.ts";
import type { Progress } from "./progress.ts";
import { type BlockOutlines, ShownFamily } from "./shown-family.ts";
import { oneLine, printable } from "./terminal-text.ts";
import { answerCommand, type OpenQuestion, type Waiting, waitingOf } from "./waiting.ts";

/** A run on a server that the command shows. */
export interface Followed {
  readonly runId: string;
  readonly workflow: string;
  readonly outline: PlanOutline;
  readonly blocks: BlockOutlines;
  /** Nodes without dependents. */
  readonly leaves: readonly string[];
}

export interface FollowOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** False to stop as soon as only a person could make the run continue. */
  readonly wait: boolean;
  /** True when this command started the run: approvals may be answered here, and Ctrl-C may cancel the run. */
  readonly isOwn: boolean;
  readonly approve?: ApproveMode;
}

type End =
  | { readonly kind: "ended" }
  | { readonly kind: "detached" }
  | { readonly kind: "waiting"; readonly waiting: Waiting };

/** Time to wait for a server that is restarting. After it, the command fails. */
const PATIENCE_MS = 60_000;
/** Interval between checks of child runs, whose events do not appear in the log of the parent. */
const LOOK_MS = 1_000;

/** Shows a run until it ends, waits for an absent person, or the command stops following it. Returns the exit code. */
export async function followRun(io: Io, api: Api, run: Followed, options: FollowOptions): Promise<number> {
  const follower = new Follower(io, api, run, options);
  return report(io, api, run, options, await follower.follow());
}

class Follower {
  readonly #io: Io;
  readonly #api: Api;
  readonly #run: Followed;
  readonly #options: FollowOptions;
  readonly #progress: Progress;
  readonly #family: ShownFamily;
  readonly #view: RunView;
  readonly #watchingBlocks: Promise<void>[] = [];
  readonly #prompt: ApprovalPrompt;
  readonly #isAnswered: boolean;
  /** True when the command stops instead of waiting for a person. */
  readonly #stopsForPerson: boolean;
  readonly #stop = new AbortController();
  #end: End = { kind: "ended" };

  constructor(io: Io, api: Api, run: Followed, options: FollowOptions) {
    this.#io = io;
    this.#api = api;
    this.#run = run;
    this.#options = options;
    this.#progress = chooseProgress(io, options);
    this.#family = new ShownFamily(run.runId, run.outline, run.blocks);
    this.#view = this.#family.root;
    const answer = options.isOwn ? chooseAnswer(io, options, this.#progress) : null;
    this.#isAnswered = answer !== null;
    this.#stopsForPerson = !options.wait || (options.isOwn && !isAtTerminal(io));
    this.#prompt = new ApprovalPrompt({
      answer,
      submitAnswer: (asked, given) => submitAnswer(api, asked, given),
      onLeftOpen: (approvalId, why) => io.err.write(`sluice: ${approvalId} was not answered: ${printable(why)}\n`),
      onDone: () => void this.#look().catch((thrown: unknown) => this.#stop.abort(thrown)),
    });
  }

  async follow(): Promise<End> {
    const stopListening = leaveOnInterrupt(this.#io, {
      api: this.#api,
      runId: this.#run.runId,
      mayCancel: this.#options.isOwn,
      progress: this.#progress,
      onLeaving: () => this.#prompt.close(),
      onDetach: () => this.#finish({ kind: "detached" }),
      onTrouble: (thrown) => this.#stop.abort(thrown),
    });
    const stopLooking = this.#lookAtChildren();
    const { signal } = this.#stop;
    try {
      await this.#watch(signal);
      await Promise.all(this.#watchingBlocks);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      stopLooking();
      stopListening();
      this.#prompt.close();
      this.#progress.finish();
    }
    if (signal.aborted && signal.reason !== STOPPED) throw signal.reason;
    return this.#end;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { json, quiet } = this.#options;
    for await (const frame of this.#api.watchRun(this.#run.runId, { signal, patienceMs: PATIENCE_MS })) {
      const event = eventOfFrame(frame);
      if (event === null) continue;
      if (json === true) this.#io.out.write(`${JSON.stringify(frame)}\n`);
      this.#show(this.#run.runId, event);
      this.#prompt.note(event);
      await this.#look();
      const isPrinted = quiet !== true && json !== true && !this.#isAnswered && !this.#stopsForPerson;
      if (isPrinted && event.type === "approval.requested") {
        printQuestion(this.#io, { ...event.payload, runId: this.#run.runId });
      }
    }
  }

  #show(runId: string, event: RunEvent): void {
    const shown = this.#family.take(runId, event);
    if (shown !== undefined) this.#progress.show(shown.view, [event], shown.around);
    const begun = this.#family.begunBy(event);
    // With --quiet or --json, blocks are not shown.
    if (begun === null || this.#options.quiet === true || this.#options.json === true) return;
    const watching = this.#watchBlock(begun);
    watching.catch((thrown: unknown) => this.#stop.abort(thrown));
    this.#watchingBlocks.push(watching);
  }

  async #watchBlock(runId: string): Promise<void> {
    const { signal } = this.#stop;
    for await (const frame of this.#api.watchRun(runId, { signal, patienceMs: PATIENCE_MS })) {
      const event = eventOfFrame(frame);
      if (event !== null) this.#show(runId, event);
    }
  }

  #finish(end: End): void {
    this.#end = end;
    this.#stop.abort(STOPPED);
  }

  /** Stops when only a person could make the run continue and no person is asked here. */
  async #look(): Promise<void> {
    const { runId } = this.#run;
    if (!this.#stopsForPerson || this.#prompt.isAsking || this.#stop.signal.aborted) return;
    if (this.#view.counts.blocked === 0 && !this.#hasChildren()) return;
    const waiting = await waitingOf(this.#api, runId, this.#view);
    if (waiting === null || this.#prompt.isAsking) return;
    // The local view may be in the middle of a commit. Only the server knows the last event.
    const { lastEventId } = await this.#api.getState(runId);
    if (lastEventId === this.#view.lastEventId) this.#finish({ kind: "waiting", waiting });
  }

  #hasChildren(): boolean {
    for (const { childRunId } of this.#view.nodes.values()) if (childRunId !== null) return true;
    return false;
  }

  #lookAtChildren(): () => void {
    const { clock } = this.#io;
    let stopTimer: (() => void) | null = null;
    if (!this.#stopsForPerson) return () => undefined;
    const look = async (): Promise<void> => {
      if (this.#hasChildren()) await this.#look();
      schedule();
    };
    const schedule = (): void => {
      stopTimer = clock.after(LOOK_MS, () => void look().catch((thrown: unknown) => this.#stop.abort(thrown)));
    };
    schedule();
    return () => stopTimer?.();
  }
}

/** The abort reason of a regular stop. */
const STOPPED = "stopped";

async function submitAnswer(
  api: Api,
  { approvalId, digest, subjectDigest }: Asked,
  { decision, reason, form }: ApprovalAnswer,
): Promise<string | null> {
  try {
    await api.resolveApproval(approvalId, {
      decision,
      digest,
      ...(subjectDigest === undefined ? {} : { subjectDigest }),
      ...(reason === undefined ? {} : { reason }),
      ...(form === undefined ? {} : { form }),
    });
    return null;
  } catch (thrown) {
    if (thrown instanceof ApiError && isClosed(thrown.code)) return null;
    throw thrown;
  }
}

function printQuestion(io: Io, question: OpenQuestion): void {
  const { runId, approvalId, summary, choices } = question;
  io.err.write(`waiting for a person: ${oneLine(summary)}\n`);
  io.err.write(`  run ${runId}, approval ${approvalId}, answers: ${choices.join(", ")}\n`);
  io.err.write(`  ${answerCommand(question)}\n`);
}

/** Prints the run, the approval and the command for every open question. Does not change the run. */
function printWaiting(io: Io, runId: string, { questions, blocked }: Waiting): void {
  for (const question of questions) printQuestion(io, question);
  for (const node of blocked) {
    io.err.write(`waiting for a person: ${printable(node.nodeId)} of run ${node.runId} is blocked\n`);
    io.err.write(
      `  sluice runs show ${node.runId}, then sluice runs resolve ${node.runId} ${printable(node.nodeId)}\n`,
    );
  }
  io.err.write(`run ${runId} continues when it is answered: sluice runs watch ${runId}\n`);
}

async function report(io: Io, api: Api, run: Followed, options: FollowOptions, end: End): Promise<number> {
  if (end.kind === "detached") return EXIT.cancelled;
  const [state, record] = await Promise.all([api.getState(run.runId), api.getRun(run.runId)]);
  const { workflow, leaves } = run;
  const error = record.error ?? null;
  if (options.json === true) {
    io.out.write(`${JSON.stringify(state)}\n`);
    if (state.status !== "completed") printFailures(io, state.nodeResults, { workflow, projection: state, error });
  } else {
    const durationMs = durationOf(record.startedAt, record.completedAt);
    const nodeResults = await Promise.all(
      state.nodeResults.map(async (node) => (leaves.includes(node.nodeId) ? withLargeValues(api, node) : node)),
    );
    const outcome = { workflow, projection: { ...state, nodeResults }, durationMs, error, leaves };
    printOutcome(io, outcome, { isQuiet: options.quiet === true });
  }
  if (end.kind === "waiting") printWaiting(io, run.runId, end.waiting);
  return end.kind === "waiting" && !isTerminal(state.status) ? EXIT.waiting : exitCodeOf(state.status);
}

export function durationOf(
  startedAt: string | null | undefined,
  completedAt: string | null | undefined,
): number | null {
  if (startedAt === null || startedAt === undefined || completedAt === null || completedAt === undefined) return null;
  const ms = Date.parse(completedAt) - Date.parse(startedAt);
  return Number.isFinite(ms) ? ms : null;
}
