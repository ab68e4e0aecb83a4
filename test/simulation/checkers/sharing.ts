import { isJsonArray } from "../../../src/core/base/index.ts";
import { isSettled } from "../../../src/core/event/index.ts";
import { countOf, type NodeFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

/** No more nodes of a run, and no more instances of a node, are in flight than the author allowed. */
export function parallelHolds(): Checker {
  return {
    id: "parallel",
    afterEvent({ facts, node, event }: Seen): void {
      if (event.type !== "node.started" || node === undefined) return;
      const { plan } = facts.workflow;
      const inFlight = countOf(facts, "running") + countOf(facts, "streaming");
      if (inFlight > plan.maxParallel) {
        // A `for_each` node runs without filling a place itself, and so does one that runs a block.
        const owners = [...facts.nodes.values()].filter(
          (each) => each.status === "running" && (each.openAttempt === 0 || runsBlock(each)),
        );
        const held = inFlight - owners.length;
        if (held > plan.maxParallel)
          throw new Violation("parallel", facts.runId, `${held} in flight, ${plan.maxParallel} allowed`);
      }
      const limit = node.owner?.plan.forEach?.maxParallel ?? null;
      if (limit === null || node.owner === null) return;
      const open = node.owner.instances.filter((each) => each.openAttempt > 0).length;
      if (open > limit)
        throw new Violation("parallel", facts.runId, `${open} instances of ${node.owner.id}, ${limit} allowed`);
    },
  };
}

/** Its nodes fill the places, in the run of the block. */
export function runsBlock({ plan: { child, choose } }: NodeFacts): boolean {
  return choose !== null || (child !== null && "block" in child);
}

/** One node at a time in each lane of a team that works so. */
export function lanesHold(): Checker {
  const takers = new Map<string, string>();
  return {
    id: "lane",
    afterEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      const key = `${facts.runId}/${node.id}`;
      if (event.type === "node.started") takers.set(key, event.payload.agentId ?? "");
      const lane = event.type === "node.started" ? laneOf(node, takers.get(key)) : null;
      if (lane === null) return;
      const beside = [...facts.nodes.values()].filter(
        (other) => other.openAttempt > 0 && laneOf(other, takers.get(`${facts.runId}/${other.id}`)) === lane,
      );
      if (beside.length > 1) {
        const ids = beside.map(({ id }) => id).join(" and ");
        throw new Violation("lane", facts.runId, `${ids} are in lane ${lane} together`);
      }
    },
  };
}

function laneOf({ plan }: NodeFacts, agent: string | undefined): number | null {
  return plan.duty?.candidates.find((candidate) => candidate.agent === agent)?.lane ?? null;
}

/**
 * A `for_each` node gives its results in list order and tolerates as many failures as it says. At the first it does not
 * tolerate it stops: no instance is left, and none was stopped before.
 */
export function instancesAddUp(): Checker {
  return {
    id: "for_each",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined || node.owner !== null || node.plan.forEach === null) return;
      const fail = (message: string) => new Violation("for_each", facts.runId, `${node.id} ${message}`);
      const isTooMany = event.type === "node.failed" && event.payload.errorCode === "too_many_failures";
      const isDone = event.type === "node.completed" && event.payload.carried !== true && node.status === "running";
      if (!isTooMany && !isDone) return;
      const failed = node.instances.filter(({ status }) => status === "failed" || status === "timed_out").length;
      if (isTooMany !== isBeyond(node)) throw fail(`ended by ${event.type} with ${failed} failures`);
      const open = node.instances.find(({ status }) => !isSettled(status));
      if (open !== undefined) throw fail(`ended while ${open.id} is ${open.status}`);
      if (event.type !== "node.completed") return;
      const { items, count, failed: said } = event.payload.outputs;
      if (count !== node.instances.length || said !== failed)
        throw fail(`says ${JSON.stringify({ count, failed: said })}`);
      if (!isJsonArray(items) || items.length !== node.instances.length) throw fail("has not one item per element");
      const wrong = node.instances.findIndex(
        ({ status }, index) => (status === "completed") === (items[index] === null),
      );
      if (wrong >= 0) throw fail(`item ${wrong} does not fit its ${node.instances[wrong]?.status} instance`);
    },
    afterEvent({ facts, node, event }: Seen): void {
      if (event.type !== "node.cancelled" || event.payload.reason !== "cancelled_by_sibling") return;
      if (node === undefined || node.owner === null || facts.ending !== null || isBeyond(node.owner)) return;
      throw new Violation("for_each", facts.runId, `${node.id} was stopped although ${node.owner.id} may continue`);
    },
    afterTurn(facts, { events }): void {
      if (events.length === 0) return;
      for (const node of facts.nodes.values()) {
        if (node.status !== "running" || node.plan.forEach === null || !isBeyond(node)) continue;
        throw new Violation("for_each", facts.runId, `${node.id} can only fail and continues`);
      }
    },
  };
}

/** So many instances have failed that the node can only fail. */
function isBeyond(node: NodeFacts): boolean {
  const failed = node.instances.filter(({ status }) => status === "failed" || status === "timed_out").length;
  return failed > 0 && (node.plan.isFailFast || failed > toleranceOf(node));
}

function toleranceOf({ plan, instances }: NodeFacts): number {
  const tolerate = plan.forEach?.tolerate ?? { count: 0 };
  return "count" in tolerate ? tolerate.count : Math.floor((instances.length * tolerate.percent) / 100);
}
