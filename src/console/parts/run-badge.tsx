import type { JSX } from "react";
import { isTerminal, type RunStatus, type WaitingFor } from "../../core/event/index.ts";
import { WAITING_TEXTS } from "../../core/view/index.ts";
import { StatusBadge } from "./status.tsx";

/** Returns a label for the reason why a run waits. */
export function waitingLabel(waitingFor: WaitingFor): string {
  const text = WAITING_TEXTS[waitingFor];
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface RunBadgeProps {
  readonly status: RunStatus;
  readonly waitingFor: WaitingFor | null;
}

/** Status of a run. A waiting run shows the reason, although its status is `running`. */
export function RunBadge({ status, waitingFor }: RunBadgeProps): JSX.Element {
  if (waitingFor === null || isTerminal(status)) return <StatusBadge status={status} />;
  return <StatusBadge status={waitingFor === "person" ? "blocked" : "queued"} label={waitingLabel(waitingFor)} />;
}
