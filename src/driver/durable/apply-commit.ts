import type { Timer } from "../../core/engine/index.ts";
import type { RunCommit } from "../../store/index.ts";
import { queueTimerOf } from "./derive-commit.ts";
import type { DrivenRun } from "./driven-run.ts";
import { contentOf } from "./live-size.ts";

/** Updates the in-memory data of a run, apart from its state, after a commit. Returns the timers that no longer exist. */
export function applyCommit(live: DrivenRun, commit: RunCommit): readonly Timer[] {
  live.run = { ...live.run, ...commit.head, rowVersion: commit.expectedVersion + 1 };
  live.creating = null;
  live.contentBytes += contentOf(commit.events);
  for (const { nodeId } of commit.closed) live.openAttempts.delete(nodeId);
  for (const { nodeId, attempt, deadlineAt, agentId, reserved, parallelOf } of commit.opened) {
    const open = { attempt, deadlineAt, agentId, reserved };
    live.openAttempts.set(nodeId, parallelOf === undefined ? open : { ...open, parallelOf });
  }
  for (const nodeId of commit.waitersEnded) live.waiters.delete(nodeId);
  for (const { nodeId } of commit.waiters) live.waiters.add(nodeId);
  const gone: Timer[] = [...commit.timersCleared];
  for (const nodeId of commit.waitsEnded) gone.push(...queueTimersOf(live, nodeId));
  for (const { nodeId } of commit.waits) gone.push(...queueTimersOf(live, nodeId));
  for (const timer of gone) live.timers.delete(timer);
  for (const { timer } of commit.timersSet) live.timers.add(timer);
  for (const wait of commit.waits) live.timers.add(queueTimerOf(wait));
  return gone;
}

function queueTimersOf({ timers }: DrivenRun, nodeId: string): readonly Timer[] {
  return [...timers.of(nodeId)].filter(({ kind }) => kind === "queue");
}
