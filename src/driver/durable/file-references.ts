import { type FileValue, filesWithin } from "../../core/base/index.ts";
import type { RunEvent } from "../../core/event/index.ts";

/** Returns the files that these events add to a run: files in its args and in the outputs of its nodes. */
export function filesOfEvents(events: readonly RunEvent[]): readonly FileValue[] {
  const found: FileValue[] = [];
  for (const { type, payload } of events) {
    const values = type === "run.started" ? payload.args : type === "node.completed" ? payload.outputs : null;
    if (values !== null) found.push(...filesWithin(values));
  }
  return found;
}
