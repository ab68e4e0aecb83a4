import type { RunEvent } from "../../../src/core/event/index.ts";
import type { RunFacts } from "../world/facts.ts";
import type { SimRun } from "../world/run.ts";
import { type Checker, type Seen, type Surroundings, Violation } from "./checker.ts";

const BEGINNINGS: ReadonlySet<string> = new Set([
  "node.queued",
  "node.started",
  "node.expanded",
  "gate.decided",
  "child.started",
  "event.emitted",
]);

/** No more runs with the same key are under way than their workflow allows, and one that waits for its place does nothing. */
export function placesHold(around: Surroundings): Checker {
  return {
    id: "places",
    beforeEvent({ facts, event }: Seen): void {
      if (facts.place === "waiting" && BEGINNINGS.has(event.type))
        throw new Violation("places", facts.runId, `${event.type} while it waits for a place`);
    },
    afterTurn(facts, { events }): void {
      const { concurrency } = facts.workflow.plan;
      if (concurrency === null || facts.place === "waiting" || !events.some(isBeginning)) return;
      const open = countOpen(around, facts);
      if (isOpen(facts) && open > concurrency.limit)
        throw new Violation("places", facts.runId, `${open} runs with its key are open, ${concurrency.limit} allowed`);
    },
    quiet(): void {
      for (const { facts } of around.runs.values()) {
        const { concurrency } = facts.workflow.plan;
        if (facts.hasEnded || facts.place !== "waiting" || concurrency === null) continue;
        if (countOpen(around, facts) < concurrency.limit && isFirst(around, facts))
          throw new Violation("places", facts.runId, "waits for a place, and one is free");
      }
    },
  };
}

function isBeginning({ type }: RunEvent): boolean {
  return type === "run.started" || type === "run.status.changed";
}

/** Runs of any workflow count together. The keys that are drawn ask for the mode. */
function withKey({ runs }: Surroundings, { args }: RunFacts): readonly SimRun[] {
  return [...runs.values()].filter(
    ({ facts }) =>
      facts.workflow.plan.concurrency !== null && facts.lastEventId > 0 && facts.args["mode"] === args["mode"],
  );
}

function countOpen(around: Surroundings, facts: RunFacts): number {
  return withKey(around, facts).filter((run) => isOpen(run.facts)).length;
}

/** One that found no place has none, and is ending. */
function isOpen({ hasEnded, place, ending }: RunFacts): boolean {
  return !hasEnded && (place === "held" || (place === null && ending === null));
}

function isFirst(around: Surroundings, facts: RunFacts): boolean {
  const waiting = withKey(around, facts).filter(({ facts: { hasEnded, place } }) => !hasEnded && place === "waiting");
  waiting.sort((left, right) => (left.log[0]?.at ?? 0) - (right.log[0]?.at ?? 0));
  return waiting[0]?.facts === facts;
}
