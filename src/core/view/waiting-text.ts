import type { WaitingFor } from "../event/index.ts";

/** Text for each reason why a run waits. */
export const WAITING_TEXTS: Readonly<Record<WaitingFor, string>> = {
  person: "waiting for a person",
  event: "waiting for an event",
  timer: "waiting for a time",
  gate: "waiting at a gate",
};
