import { eventOfFrame, applyToView, createView, type Frame, type RunView, type SluiceClient } from "../client/index.ts";
import { isSettled, isTerminal } from "../core/event/index.ts";
import { type PlanOutline, projectView } from "../core/view/index.ts";
import type { Progress } from "./tool.ts";

export interface Wait {
  readonly runId: string;
  readonly outline: PlanOutline;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly report: (progress: Progress) => void;
  /** Called with every event, starting with the first. */
  readonly onFrame?: (frame: Frame) => void;
}

/**
 * Watches a run from its first event until it has ended, needs a person, the time is up or the caller aborts. Returns
 * the resulting view, which is empty when the wait time is 0.
 */
export async function waitForRun(api: SluiceClient, wait: Wait): Promise<RunView> {
  const view = createView(wait.outline);
  if (wait.seconds === 0 || wait.signal.aborted) return view;
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  const timer = setTimeout(abort, wait.seconds * 1_000);
  wait.signal.addEventListener("abort", abort, { once: true });
  try {
    await watch(api, wait, view, stop.signal);
  } finally {
    clearTimeout(timer);
    wait.signal.removeEventListener("abort", abort);
  }
  return view;
}

async function watch(api: SluiceClient, wait: Wait, view: RunView, signal: AbortSignal): Promise<void> {
  const { runId, outline, report } = wait;
  const total = outline.nodes.length;
  const settled = new Set<string>();
  let done = 0;
  report({ done, total, message: `${runId} began` });
  for await (const frame of api.watchRun(runId, { signal })) {
    wait.onFrame?.(frame);
    const event = eventOfFrame(frame);
    if (event === null) continue;
    applyToView(view, event);
    count(settled, view, frame);
    // Reported progress never decreases: after a rewind, it is reported again when it exceeds the previous maximum.
    if (settled.size > done) {
      done = settled.size;
      report({ done, total, message: messageOf(frame) });
    }
    if (isTerminal(view.status) || (await isPaused(api, runId, view))) return;
  }
}

/** Updates only the node of the event, so that an event costs the same in a large run as in a small one. */
function count(settled: Set<string>, view: RunView, { payload }: Frame): void {
  const node = "nodeId" in payload && payload.nodeId !== undefined ? view.nodes.get(payload.nodeId) : undefined;
  if (node === undefined || node.instance !== null) return;
  if (isSettled(node.status)) settled.add(node.id);
  else settled.delete(node.id);
}

function messageOf({ type, payload }: Frame): string {
  return "nodeId" in payload ? `${payload.nodeId}: ${type.replace("node.", "")}` : type;
}

/** The view may be in the middle of a commit, so the server is queried to confirm that the run waits. */
async function isPaused(api: SluiceClient, runId: string, view: RunView): Promise<boolean> {
  const { blocked, queued, retrying, streaming } = view.counts;
  if (blocked === 0 || queued + retrying + streaming > 0) return false;
  if (!projectView(view, { runId, workflowId: "" }).isPaused) return false;
  return (await api.getState(runId)).isPaused;
}
