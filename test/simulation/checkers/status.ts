import { isTerminal, type RunStatus } from "../../../src/core/event/index.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

/** Where each status may lead. */
const NEXT: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  // A run that waits for a place may time out.
  queued: ["running", "cancelled", "timed_out"],
  running: ["recovered", "completed", "failed", "cancelled", "timed_out"],
  recovered: ["completed"],
  completed: ["running"],
  failed: ["running"],
  cancelled: ["running"],
  timed_out: ["running"],
};

/** The changes of a run's status alone give its status after every turn. */
export function statusChangesAreComplete(): Checker {
  const statuses = new Map<string, RunStatus>();
  return {
    id: "status",
    beforeEvent({ facts, event }: Seen): void {
      if (event.type !== "run.status.changed") return;
      const known = statuses.get(facts.runId) ?? "queued";
      const { from, to } = event.payload;
      const fail = (message: string) => new Violation("status", facts.runId, `event ${event.eventId}: ${message}`);
      if (from !== known) throw fail(`changes from ${from}, it was ${known}`);
      if (!NEXT[from].includes(to)) throw fail(`changes from ${from} to ${to}`);
      statuses.set(facts.runId, to);
    },
    afterTurn(facts, { events }): void {
      if (events.length === 0) return;
      const known = statuses.get(facts.runId) ?? "queued";
      const isBegun = facts.place === "waiting" ? known === "queued" : known !== "queued";
      const isRight = facts.hasEnded ? known === facts.status : !isTerminal(known) && isBegun;
      if (!isRight) throw new Violation("status", facts.runId, `is ${facts.status}, its changes say ${known}`);
    },
  };
}
