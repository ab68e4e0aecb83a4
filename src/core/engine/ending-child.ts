import { perform, setTimer, type Turn } from "./turn.ts";

/** When a child has not been cancelled after this time, it is cancelled again. */
const CANCELLED_WITHIN_MS = 3_000;

export function stopChild(turn: Turn, nodeId: string, attempt: number, childRunId: string): void {
  perform(turn, { type: "cancel-child", nodeId, attempt, childRunId });
  setTimer(turn, { kind: "child-cancel", nodeId, attempt, childRunId }, turn.at + CANCELLED_WITHIN_MS);
}
