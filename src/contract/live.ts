/** Messages of the live stream of an organisation: server-sent events, which OpenAPI cannot describe. */
import { z } from "zod";
import type { RunStatus, WaitingFor } from "../core/event/index.ts";
import type { Frame } from "./run-state.ts";

export const liveQuery = z.object({
  runs: z
    .string()
    .max(8_000)
    .optional()
    .describe("Runs whose events are sent, each with the event id to continue after: run_a:12,run_b:0"),
});

export const streamQuery = z.object({
  afterEventId: z
    .string()
    .optional()
    .describe("Event id to continue after. Takes precedence over the header Last-Event-ID"),
});

/** Data of the message `run`: the fields of a run that change with every commit. */
export interface LiveRun {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly lastEventId: number;
  readonly costMicros: number;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly waitingFor: WaitingFor | null;
}

/** Data of the message `event`. */
export interface LiveEvent {
  readonly runId: string;
  readonly frame: Frame;
}

/** Data of the message `note`: an approval was assigned or commented on. */
export interface LiveNote {
  readonly approvalId: string;
}

/** Data of the message `approval`: the pending approvals of a run, or, when `runId` is null, those of launches. */
export interface LiveApprovals {
  readonly runId: string | null;
  readonly pending: readonly string[];
}
