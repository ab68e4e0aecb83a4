import { type Checker, type Seen, Violation } from "./checker.ts";

/** A failure under `on_failure: skip` is a skip, whatever the run is doing; only a person who aborts makes it one. */
export function skipsAreKept(): Checker {
  return {
    id: "skip",
    beforeEvent({ facts, node, event, turn }: Seen): void {
      if (event.type !== "node.failed" && event.type !== "node.timed_out") return;
      if (node === undefined || node.owner !== null || node.plan.onFailure !== "skip") return;
      const { errorCode } = event.payload;
      if (errorCode === "upstream_failure" || isAnswer(turn.input)) return;
      // A step of its block has ended the run.
      if (turn.input.type === "child_finished" && turn.input.ends !== undefined) return;
      throw new Violation("skip", facts.runId, `${node.id} failed with ${errorCode} although it is to be skipped`);
    },
  };
}

/** Answers of people, and what is taken for one when none came in time. */
function isAnswer(input: Seen["turn"]["input"]): boolean {
  return input.type === "approval" || (input.type === "timer" && input.timer.kind.startsWith("approval-"));
}
