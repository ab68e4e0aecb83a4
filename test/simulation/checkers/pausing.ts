import { isHeldUp } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

const BEGINNINGS: ReadonlySet<string> = new Set(["node.started", "event.emitted", "run.finally"]);

/** Nothing of a paused run begins, and in the end none is left paused. */
export function pausedBeginsNothing(): Checker {
  return {
    id: "paused",
    beforeEvent({ facts, event }: Seen): void {
      if (isHeldUp(facts) && BEGINNINGS.has(event.type))
        throw new Violation("paused", facts.runId, `${event.type} while it is paused`);
    },
    quiet(runs): void {
      for (const { facts } of runs)
        if (!facts.hasEnded && isHeldUp(facts)) throw new Violation("paused", facts.runId, "is left paused");
    },
  };
}
