import { ApiError } from "../client/index.ts";
import type { Api } from "./api.ts";
import { type Io, isAtTerminal } from "./io.ts";
import type { Progress } from "./progress.ts";

export interface LeavingParts {
  readonly api: Api;
  readonly runId: string;
  /** True when this command started the run. */
  readonly mayCancel: boolean;
  readonly progress: Pick<Progress, "pause" | "resume">;
  /** Called when the person begins to leave. No other question is asked after this. */
  readonly onLeaving: () => void;
  /** Called when watching stops while the run continues. */
  readonly onDetach: () => void;
  readonly onTrouble: (thrown: unknown) => void;
}

/**
 * Stops watching a run on a server when the command is interrupted. Only the person who started the run can cancel it,
 * by answering a question. Every other reason, such as SIGTERM, a closed terminal or a second Ctrl-C, does not affect
 * the run.
 */
export function leaveOnInterrupt(io: Io, parts: LeavingParts): () => void {
  const asking = new AbortController();
  let isLeaving = false;
  const detach = (): void => {
    io.err.write(`\nno longer watching; the run continues: sluice runs watch ${parts.runId}\n`);
    parts.onDetach();
  };
  const stopListening = io.onInterrupt((why) => {
    const canAsk = parts.mayCancel && why === "interrupt" && isAtTerminal(io);
    if (!canAsk || isLeaving) {
      asking.abort();
      detach();
      return;
    }
    isLeaving = true;
    parts.onLeaving();
    parts.progress.pause();
    confirmCancel(io, asking.signal).then(
      async (isCancelled) => {
        parts.progress.resume();
        if (asking.signal.aborted) return;
        if (isCancelled) await cancel(io, parts);
        else detach();
      },
      (thrown: unknown) => parts.onTrouble(thrown),
    );
  });
  return () => {
    stopListening();
    asking.abort();
  };
}

async function confirmCancel(io: Io, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const line = await io.readLine("\n[d]etach: the run continues (default) · [c]ancel the run: ", signal);
    const word = line?.trim().toLowerCase() ?? "";
    if (word === "" || "detach".startsWith(word)) return false;
    if ("cancel".startsWith(word)) return true;
  }
}

async function cancel(io: Io, { api, runId, onTrouble }: LeavingParts): Promise<void> {
  io.err.write("cancelling; Ctrl-C stops waiting for it\n");
  try {
    await api.cancelRun(runId);
  } catch (thrown) {
    // The run has ended in the meantime, and its last event will arrive soon.
    if (thrown instanceof ApiError && thrown.code === "run_finished") return;
    onTrouble(thrown);
  }
}
