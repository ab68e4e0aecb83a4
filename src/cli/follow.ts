import { isTerminal, type RunEvent } from "../core/event/index.ts";
import { applyToView, createView, eventOfFrame, type PlanOutline, type RunView } from "../core/view/index.ts";
import type { Api } from "./api.ts";
import { type Answering, answerThrough } from "./answering.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { exitCodeOf, printFailures, printOutcome } from "./outcome.ts";
import { chooseProgress, type Progress } from "./progress-choice.ts";
import { oneLine } from "./terminal-text.ts";

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
  /** The run was started by this very command, and ends with it. */
  readonly isOwn: boolean;
  readonly answering: Answering;
}

/** Shows a run until it ends; what it returns is the exit code. */
export async function followRun(io: Io, api: Api, run: Followed, options: FollowOptions): Promise<number> {
  const stop = new AbortController();
  const progress = chooseProgress(io, options);
  const view = createView(run.outline);
  const desk = answerThrough(io, api, options.answering, progress, stop.signal);
  const stopListening = listen(io, api, run, options, stop);
  let isWaiting = false;
  try {
    for await (const frame of api.watchRun(run.runId, stop.signal)) {
      const event = eventOfFrame(frame);
      if (event === null) continue;
      if (options.json === true) io.out.write(`${JSON.stringify(frame)}\n`);
      applyToView(view, event);
      progress.show(view, [event]);
      const isAnswered = desk(view, event);
      if (!isAnswered && mayWait(event)) isWaiting = await waits(io, api, run, options, progress);
      if (isWaiting) break;
    }
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown;
  } finally {
    stop.abort();
    stopListening();
    progress.finish();
  }
  return report(io, api, run, options, { isWaiting, isStopped: !isWaiting && !isTerminal(view.status), view });
}

/** After these events it may be that nothing goes on without a person. */
function mayWait({ type }: RunEvent): boolean {
  return type === "node.blocked" || type === "approval.requested";
}
