import type { EventOf, EventType, RunEvent } from "./event.ts";
import type { RunStatus, SettledStatus } from "./status.ts";

/** Events that settle a node. After one of them its dependents may be decided. */
export const SETTLING_TYPES = [
  "node.completed",
  "node.failed",
  "node.skipped",
  "node.cancelled",
  "node.timed_out",
] as const satisfies readonly EventType[];

export type SettlingType = (typeof SETTLING_TYPES)[number];
export type SettlingEvent = EventOf<SettlingType>;

const SETTLING: ReadonlySet<EventType> = new Set<EventType>(SETTLING_TYPES);

export function isSettling(event: RunEvent): event is SettlingEvent {
  return SETTLING.has(event.type);
}

/** Returns the status of a node after the event. */
export function settledStatusOf(type: SettlingType): SettledStatus {
  return type.slice("node.".length) as SettledStatus;
}

/** Events that end a run. */
export const RUN_ENDING_TYPES = [
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.timed_out",
] as const satisfies readonly EventType[];

export type RunEndingType = (typeof RUN_ENDING_TYPES)[number];
export type RunEndingEvent = EventOf<RunEndingType>;

const RUN_ENDING: ReadonlySet<EventType> = new Set<EventType>(RUN_ENDING_TYPES);

export function isRunEnding(event: RunEvent): event is RunEndingEvent {
  return RUN_ENDING.has(event.type);
}

/** Returns the status of a run after the event. */
export function endStatusOf(type: RunEndingType): RunStatus {
  return type.slice("run.".length) as RunStatus;
}
