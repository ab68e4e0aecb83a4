import { EVENT_TYPES } from "../../core/event/index.ts";

/** Events so many and so small that only webhooks that name them receive them. */
const ONLY_BY_NAME: ReadonlySet<string> = new Set(["node.stream.delta", "heartbeat"]);

/** Checks whether the requested types include a type: by its own name, its family such as `run.*`, or `*`. */
export function isWanted(asked: readonly string[], type: string): boolean {
  if (asked.includes(type)) return true;
  if (ONLY_BY_NAME.has(type)) return false;
  return asked.includes("*") || asked.includes(`${type.split(".")[0] ?? ""}.*`);
}

const OF_RUNS: ReadonlySet<string> = new Set(EVENT_TYPES);

/** True for types that runs log as events, too. Those are sent in full from the events, and not again from the audit. */
export function isCoveredByEvents(type: string): boolean {
  return OF_RUNS.has(type);
}
