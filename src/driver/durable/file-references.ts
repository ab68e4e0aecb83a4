import { type FileValue, filesWithin } from "../../core/base/index.ts";
import type { RunEvent } from "../../core/event/index.ts";

/** The files a run refers to after these events: those it is given, and those its nodes return. */
export function filesOfEvents(events: readonly RunEvent[]): readonly FileValue[] {
  const found: FileValue[] = [];
  for (const { type, payload } of events) {
    const values = type === "run.started" ? payload.args : type === "node.completed" ? payload.outputs : null;
    if (values !== null) found.push(...filesWithin(values));
  }
  return found;
}
