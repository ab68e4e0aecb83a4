import { isTerminal, type RunEvent } from "../core/event/index.ts";
import {
  applyToView,
  createView,
  eventOfFrame,
  type PlanOutline,
  projectView,
  type RunView,
} from "../core/view/index.ts";
import { ApiProblem } from "../client/index.ts";
import { type Api, Unreachable } from "./api.ts";
import { ApprovalDesk, type Asked, isClosed } from "./approval-desk.ts";
import { type ApprovalAnswer, type ApproveMode, chooseAnswer } from "./approvals.ts";
import { chooseProgress } from "./choose-progress.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { withLargeValues } from "./large-value.ts";
import { exitCodeOf, printFailures, printOutcome } from "./outcome.ts";
import { oneLine, printable } from "./terminal-text.ts";

/** A run on a server that somebody wants to see. */
export interface Followed {
  readonly runId: string;
  readonly workflow: string;
  readonly outline: PlanOutline;
  /** Nodes that nothing depends on. */
  readonly leaves: readonly string[];
}

export interface FollowOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** False: stop as soon as only a person could make the run go on. */
  readonly wait: boolean;
  /** The run was started by this very command: whoever interrupts the command means the run. */
  readonly isOwn: boolean;
  readonly approve?: ApproveMode;
}

type End = "ended" | "waiting" | "stopped";

/** A server that is restarted comes back sooner; beyond this somebody should know. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 1_000;

/** Shows a run until it ends, or until nobody wants to see more of it; the exit code says which. */
export async function followRun(io: Io, api: Api, run: Followed, options: FollowOptions): Promise<number> {
  const stop = new AbortController();
  const stopListening = listen(io, api, run.runId, options.isOwn, stop);
  const stopLooking = giveUpWhenLost(io, api, stop);
  try {
    const end = await watch(io, api, run, options, stop.signal);
    return await report(io, api, run, options, end);
  } finally {
    stop.abort();
    stopLooking();
    stopListening();
  }
}

/** The stream resumes by itself for as long as it is let. */
function giveUpWhenLost(io: Io, api: Api, stop: AbortController): () => void {
  const look = (): void => {
    const since = api.troubleSince;
    if (since !== null && io.clock.now() - since > PATIENCE_MS) {
      stop.abort(new Unreachable(`${api.url} has not answered for a minute; the run goes on when it is back`));
    } else stopTimer = io.clock.after(LOOK_MS, look);
  };
  let stopTimer = io.clock.after(LOOK_MS, look);
  return () => stopTimer();
}

async function watch(io: Io, api: Api, run: Followed, options: FollowOptions, signal: AbortSignal): Promise<End> {
  const progress = chooseProgress(io, options);
  const view = createView(run.outline);
  const answer = options.isOwn ? chooseAnswer(io, options, progress) : null;
  const desk = new ApprovalDesk({
    answer,
    handIn: (asked, given) => handIn(api, asked, given),
    onLeftOpen: (approvalId, why) => io.err.write(`sluice: ${approvalId} stays open: ${printable(why)}\n`),
  });
  const stopAsking = (): void => desk.close();
  signal.addEventListener("abort", stopAsking);
  try {
    for await (const frame of api.watchRun(run.runId, { signal })) {
      const event = eventOfFrame(frame);
      if (event === null) continue;
      if (options.json === true) io.out.write(`${JSON.stringify(frame)}\n`);
      applyToView(view, event);
      progress.show(view, [event]);
      desk.note(event);
      if (!options.wait && (await isWaiting(api, run.runId, view))) return "waiting";
      if (options.quiet !== true && options.json !== true && answer === null) tellHow(io, event);
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    signal.removeEventListener("abort", stopAsking);
    desk.close();
    progress.finish();
  }
  if (signal.reason instanceof Unreachable) throw signal.reason;
  return isTerminal(view.status) ? "ended" : "stopped";
}

async function handIn(
  api: Api,
  { approvalId, digest }: Asked,
  { decision, reason }: ApprovalAnswer,
): Promise<string | null> {
  try {
    await api.resolveApproval(approvalId, { decision, digest, ...(reason === undefined ? {} : { reason }) });
    return null;
  } catch (thrown) {
    if (thrown instanceof ApiProblem && isClosed(thrown.code)) return null;
    throw thrown;
  }
}

/** The view may stand in the middle of a commit; only the server knows that nothing else moves. */
async function isWaiting(api: Api, runId: string, view: RunView): Promise<boolean> {
  if (view.counts.blocked === 0 || !projectView(view, { runId, workflowId: "" }).isPaused) return false;
  return (await api.getState(runId)).isPaused;
}

function tellHow(io: Io, event: RunEvent): void {
  if (event.type !== "approval.requested") return;
  const { approvalId, summary } = event.payload;
  io.err.write(`waiting for a person: ${oneLine(summary)}\n  sluice approvals approve ${approvalId}\n`);
}

/** Whoever started a run ends it with the first Ctrl-C and does not wait for it with the second. */
function listen(io: Io, api: Api, runId: string, isOwn: boolean, stop: AbortController): () => void {
  let isCancelling = false;
  return io.onInterrupt(() => {
    if (!isOwn) {
      io.err.write(`\nno longer watching; the run goes on (sluice runs watch ${runId})\n`);
      stop.abort();
      return;
    }
    if (isCancelling) {
      io.exitNow(EXIT.cancelled);
      return;
    }
    isCancelling = true;
    io.err.write("\ncancelling; once more to stop at once\n");
    api.cancelRun(runId).catch((thrown: unknown) => {
      io.err.write(`sluice: the run could not be cancelled: ${thrown instanceof Error ? thrown.message : ""}\n`);
      stop.abort();
    });
  });
}

async function report(io: Io, api: Api, run: Followed, options: FollowOptions, end: End): Promise<number> {
  if (end === "stopped") return EXIT.cancelled;
  const [state, record] = await Promise.all([api.getState(run.runId), api.getRun(run.runId)]);
  if (options.json === true) {
    io.out.write(`${JSON.stringify(state)}\n`);
    if (state.status !== "completed") printFailures(io, state.nodeResults);
  } else {
    const durationMs = durationOf(record.startedAt, record.completedAt);
    const nodeResults = await Promise.all(
      state.nodeResults.map(async (node) => (run.leaves.includes(node.nodeId) ? withLargeValues(api, node) : node)),
    );
    const outcome = { workflow: run.workflow, projection: { ...state, nodeResults }, durationMs, leaves: run.leaves };
    printOutcome(io, outcome, { isQuiet: options.quiet === true });
  }
  if (end !== "waiting") return exitCodeOf(state.status);
  io.err.write(`waiting for a person: sluice approvals list (run ${run.runId} goes on when it is answered)\n`);
  return EXIT.waiting;
}

export function durationOf(
  startedAt: string | null | undefined,
  completedAt: string | null | undefined,
): number | null {
  if (startedAt === null || startedAt === undefined || completedAt === null || completedAt === undefined) return null;
  const ms = Date.parse(completedAt) - Date.parse(startedAt);
  return Number.isFinite(ms) ? ms : null;
}
