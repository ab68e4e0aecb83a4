import { EVENT_TYPES } from "../../core/event/index.ts";

/** So many and so small that only webhooks that name them get them. */
const ONLY_BY_NAME: ReadonlySet<string> = new Set(["node.stream.delta", "heartbeat"]);

/** Is a type among what was asked for: itself, its family `run.*`, or `*`? */
export function isWanted(asked: readonly string[], type: string): boolean {
  if (asked.includes(type)) return true;
  if (ONLY_BY_NAME.has(type)) return false;
  return asked.includes("*") || asked.includes(`${type.split(".")[0] ?? ""}.*`);
}

const OF_RUNS: ReadonlySet<string> = new Set(EVENT_TYPES);

/** What runs log under the same type is sent from their events, in full, and not a second time from the audit. */
export function isCoveredByEvents(type: string): boolean {
  return OF_RUNS.has(type);
}
