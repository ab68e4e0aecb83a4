import { isRun } from "../world/run.ts";
import { isSettled } from "../../../src/core/event/index.ts";
import type { RunFacts } from "../world/facts.ts";
import { type Checker, Violation } from "./checker.ts";

/** A rewind keeps exactly what had settled at or before its event, and takes everything later back. */
export function rewindsExactly(): Checker {
  let settled = new Map<string, number>();
  let open: readonly string[] = [];
  return {
    id: "rewind",
    beforeTurn(facts, { input }): void {
      if (input.type !== "rewind") return;
      settled = new Map(
        [...facts.nodes.values()].flatMap((node) => (isSettled(node.status) ? [[node.id, node.settledEventId]] : [])),
      );
      open = [...facts.approvals.values()].flatMap(({ id, status }) => (status === "pending" ? [id] : []));
    },
    afterTurn(facts, { input, events, refusal }): void {
      if (input.type !== "rewind" || refusal !== undefined) return;
      const fail = (message: string) => new Violation("rewind", facts.runId, `to event ${input.eventId}: ${message}`);
      const taken = new Set(
        events.flatMap((event) => (event.type === "node.invalidated" ? [event.payload.nodeId] : [])),
      );
      for (const [id, eventId] of settled) {
        if (eventId <= input.eventId && taken.has(id))
          throw fail(`${id} had settled by event ${eventId} and is taken back`);
        if (eventId > input.eventId && !taken.has(id)) throw fail(`${id} settled by event ${eventId} and stays`);
      }
      for (const id of open) {
        if (facts.approvals.get(id)?.status === "pending") throw fail(`approval ${id} stays open`);
      }
    },
  };
}

/** An input about something that is not there, or comes too early, changes nothing. */
export function noiseIsIgnored(): Checker {
  return {
    id: "noise",
    afterTurn(facts, { input, events, effects }): void {
      const isNoise =
        ("nodeId" in input && input.nodeId === "no_such_node") ||
        ("attempt" in input && input.attempt === 9_999) ||
        ("approvalId" in input && input.approvalId === "apr_nobody") ||
        ("eventId" in input && input.eventId === 999_999);
      if (!isNoise || (events.length === 0 && effects.length === 0)) return;
      throw new Violation(
        "noise",
        facts.runId,
        `${input.type} about nothing led to ${events[0]?.type ?? effects[0]?.type}`,
      );
    },
  };
}

/** The run stops in the commit that halts, cancels or times it out: only what must still end is left. */
export function stopsAtOnce(): Checker {
  return {
    id: "stop",
    afterTurn(facts, { events }): void {
      const stopped = events.find((event) => event.type === "run.ending" && event.payload.as === facts.ending);
      if (facts.ending === null || stopped === undefined) return;
      for (const node of facts.nodes.values()) {
        if (isSettled(node.status) || node.status === "invalidated") continue;
        const isInFlight = node.status === "running" || node.status === "streaming";
        const isDraining = isRun(node.plan) || node.instances.length > 0;
        if (isInFlight && (facts.ending === "failed" || isDraining)) continue;
        throw new Violation("stop", facts.runId, `ending as ${facts.ending}, but ${node.id} is ${node.status}`);
      }
      requireDescendantsFailed(facts, events);
    },
  };
}

/** What waited below the failure fails with it; everything else that waited is cancelled. */
function requireDescendantsFailed(
  facts: RunFacts,
  events: Parameters<NonNullable<Checker["afterTurn"]>>[1]["events"],
): void {
  if (facts.ending !== "failed") return;
  const at = events.findIndex((event) => event.type === "run.ending" && event.payload.as === "failed");
  const failure = events[at - 1];
  const ending = events[at];
  // A failure that others waited for ends the run after they have settled.
  const named = ending?.type === "run.ending" ? ending.payload.reason.replace(/ failed$/u, "") : "";
  const failed =
    facts.nodes.get(named) ??
    (failure !== undefined && "nodeId" in failure.payload ? facts.nodes.get(failure.payload.nodeId) : undefined);
  if (failed === undefined) return;
  const below = new Set<number>();
  const open = [failed.plan];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const index of next.dependents) {
      const dependent = facts.workflow.plan.nodes[index];
      // A join that was reached does without the parents it did not count.
      const counted = facts.nodes.get(dependent?.id ?? "")?.counted ?? null;
      if (dependent === undefined || below.has(index) || counted?.includes(next.id) === false) continue;
      below.add(index);
      open.push(dependent);
    }
  }
  for (const event of events.slice(at + 1)) {
    const isUpstream = event.type === "node.failed" && event.payload.errorCode === "upstream_failure";
    const isHalted = event.type === "node.cancelled" && event.payload.reason === "run_halted";
    if (!isUpstream && !isHalted) continue;
    const node = facts.nodes.get(event.payload.nodeId);
    if (node === undefined || node.plan.forEach !== null || node.plan.repeat !== null) continue;
    if (below.has(node.plan.index) !== isUpstream) {
      throw new Violation("stop", facts.runId, `${node.id} ended by ${event.type} after ${failed.id} halted the run`);
    }
  }
}
