import type { EventPayload } from "../../../src/core/event/index.ts";
import { type Checker, Violation } from "./checker.ts";

/** What a person wrote for a node is what is sent, however often. */
export function editsAreKept(): Checker {
  const written = new Map<string, NonNullable<EventPayload<"run.started">["prompts"]>>();
  return {
    id: "edits",
    afterEvent({ facts, event }): void {
      if (event.type === "run.started" && event.payload.prompts !== undefined)
        written.set(facts.runId, event.payload.prompts);
    },
    sent({ runId }, { nodeId, request }): void {
      const text = written.get(runId)?.[nodeId]?.text;
      if (text === undefined || request.message === text) return;
      throw new Violation("edits", runId, `${nodeId} is asked something else than a person wrote`);
    },
  };
}
