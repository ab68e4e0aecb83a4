import { perform, setTimer, type Turn } from "./turn.ts";

/** A child that was not cancelled by then is cancelled now. */
const CANCELLED_WITHIN_MS = 3_000;

export function stopChild(turn: Turn, nodeId: string, attempt: number, childRunId: string): void {
  perform(turn, { type: "cancel-child", nodeId, attempt, childRunId });
  setTimer(turn, { kind: "child-cancel", nodeId, attempt, childRunId }, turn.at + CANCELLED_WITHIN_MS);
}
