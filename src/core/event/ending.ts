import type { EventOf } from "./event.ts";
import type { EndingStatus } from "./status.ts";

export interface RunEnding {
  readonly as: EndingStatus;
  readonly reason: string;
  readonly errorCode: string | null;
}

const OLD_REASONS: ReadonlyMap<string, EndingStatus> = new Map([
  ["cancelling", "cancelled"],
  ["timing_out", "timed_out"],
  ["halting", "failed"],
]);

/**
 * Returns the outcome a run is winding down to. Logs older than `run.ending` mark it by a status that changes to itself.
 * Null for an event about something else.
 */
export function endingOf(event: EventOf<"run.ending"> | EventOf<"run.status.changed">): RunEnding | null {
  if (event.type === "run.ending") {
    const { as, reason, errorCode = null } = event.payload;
    return { as, reason, errorCode };
  }
  const { reason = "", detail, errorCode = null } = event.payload;
  const as = OLD_REASONS.get(reason);
  return as === undefined ? null : { as, reason: detail ?? reason, errorCode };
}
