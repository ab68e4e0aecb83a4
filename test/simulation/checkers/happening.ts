import { canonicalJson } from "../../../src/core/base/index.ts";
import { mayTake } from "../world/happenings.ts";
import { hasTaken } from "../world/taken.ts";
import { type Checker, type Surroundings, Violation } from "./checker.ts";

/** A node takes an event that it waits for, that was sent, and that it has not taken before. */
export function eventsAreTakenOnce(around: Surroundings): Checker {
  return {
    id: "events",
    beforeEvent({ facts, node, event }): void {
      if (event.type !== "event.received" || node === undefined) return;
      const { id, type } = event.payload;
      const fail = (message: string) => new Violation("events", facts.runId, `${node.id} ${message}`);
      const run = around.runs.get(facts.runId);
      if (run !== undefined && hasTaken(around.runs, run, node, id)) throw fail(`takes ${id} a second time`);
      if (node.status !== "blocked" || node.awaited === null) throw fail(`takes ${id} and waits for nothing`);
      const sent = around.happenings.find((happening) => happening.id === id);
      if (sent === undefined) throw fail(`takes ${id}, which was never sent`);
      const isIt = node.awaited.type === type && canonicalJson(node.awaited.key) === canonicalJson(sent.key);
      if (!isIt) throw fail(`takes ${id}, which it does not wait for`);
    },
  };
}

/** What was sent since a run began reaches every node of it that waits for it. */
export function eventsAreNeverLost(around: Surroundings): Checker {
  return {
    id: "events",
    quiet(runs): void {
      for (const run of runs) {
        for (const node of run.facts.nodes.values()) {
          const missed = around.happenings.find((happening) => mayTake(around.runs, run, node, happening));
          if (missed !== undefined && !run.facts.hasEnded)
            throw new Violation("events", run.facts.runId, `${node.id} still waits, and ${missed.id} was sent`);
        }
      }
    },
  };
}

/** A moment that a node waits for comes. */
export function momentsCome(): Checker {
  return {
    id: "moments",
    beforeEvent({ facts, node, event }): void {
      if (node?.waitingReason !== "timer" || event.type !== "node.completed") return;
      if (node.until !== null && event.at < node.until)
        throw new Violation("moments", facts.runId, `${node.id} continues ${node.until - event.at} ms too early`);
    },
    quiet(runs): void {
      for (const { facts } of runs) {
        for (const node of facts.nodes.values()) {
          if (facts.hasEnded || node.status !== "blocked" || node.until === null) continue;
          throw new Violation("moments", facts.runId, `${node.id} waits beyond its time`);
        }
      }
    },
  };
}
