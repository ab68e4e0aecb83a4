import type { JSX } from "react";
import { isTerminal, type RunStatus, type WaitingFor } from "../../core/event/index.ts";
import { StatusBadge } from "./status.tsx";

/** What a run waits for, in words. */
export const WAITING_TEXTS: Readonly<Record<WaitingFor, string>> = {
  person: "Waiting for a person",
  event: "Waiting for an event",
  timer: "Waiting for a time",
  gate: "Waiting at a gate",
};

interface RunBadgeProps {
  readonly status: RunStatus;
  readonly waitingFor: WaitingFor | null;
}

/** The status of a run. One that waits shows for what, although its status is `running`. */
export function RunBadge({ status, waitingFor }: RunBadgeProps): JSX.Element {
  if (waitingFor === null || isTerminal(status)) return <StatusBadge status={status} />;
  return <StatusBadge status={waitingFor === "person" ? "blocked" : "queued"} label={WAITING_TEXTS[waitingFor]} />;
}
