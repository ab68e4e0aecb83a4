import type { StartChild } from "../../../src/core/engine/index.ts";
import { isSettled, type NodeStatus } from "../../../src/core/event/index.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

export function parentsOf(facts: RunFacts, node: NodeFacts): readonly NodeFacts[] {
  return node.plan.parents.flatMap((index) => nodeAt(facts, index));
}

function dependentsOf(facts: RunFacts, node: NodeFacts): readonly NodeFacts[] {
  return node.plan.dependents.flatMap((index) => nodeAt(facts, index));
}

function nodeAt(facts: RunFacts, index: number): readonly NodeFacts[] {
  const node = facts.nodes.get(facts.workflow.plan.nodes[index]?.id ?? "");
  return node === undefined ? [] : [node];
}

export function hasFailed({ status }: { readonly status: NodeStatus }): boolean {
  return status === "failed" || status === "timed_out";
}

export function outcomeOf(node: NodeFacts, parent: NodeFacts): "success" | "failure" | "settled" {
  return node.plan.outcomes.get(parent.plan.index) ?? "success";
}

/** Whether the parent has ended as the node waits for. */
export function isMet(node: NodeFacts, parent: NodeFacts): boolean {
  const outcome = outcomeOf(node, parent);
  if (outcome === "settled") return isSettled(parent.status);
  return outcome === "failure" ? hasFailed(parent) : parent.status === "completed";
}

/** Whether the dependent has made up for the failure, or does without the node. */
function isHandledBy(failed: NodeFacts, dependent: NodeFacts): boolean {
  if (outcomeOf(dependent, failed) === "failure") return dependent.status === "completed";
  return dependent.plan.join !== null && dependent.counted !== null;
}

/** Nothing the dependent may still do makes up for the failure; one that has failed may be handled itself first. */
function hasDecided(facts: RunFacts, failed: NodeFacts, dependent: NodeFacts): boolean {
  const isHandler = outcomeOf(dependent, failed) === "failure";
  if (!isHandler && dependent.plan.join !== null && dependent.counted !== null) return true;
  if (!isSettled(dependent.status)) return false;
  return (
    !hasFailed(dependent) ||
    dependent.isHandled ||
    tolerantDependentsOf(facts, dependent).every((each) => hasDecided(facts, dependent, each))
  );
}

function tolerantDependentsOf(facts: RunFacts, node: NodeFacts): readonly NodeFacts[] {
  return dependentsOf(facts, node).filter(
    (dependent) => dependent.plan.join !== null || outcomeOf(dependent, node) !== "success",
  );
}

/** A failure is handled when a handler has completed or a join does without it, and only then; else it ends the run. */
export function failuresAreHandled(): Checker {
  return {
    id: "handling",
    beforeEvent({ facts, node, event }: Seen): void {
      const fail = (message: string) => new Violation("handling", facts.runId, message);
      if (event.type === "node.handled" && node !== undefined) {
        const by = facts.nodes.get(event.payload.by);
        if (!hasFailed(node) || node.isHandled) throw fail(`${node.id} is ${node.status} and is handled`);
        if (by === undefined || !tolerantDependentsOf(facts, node).includes(by) || !isHandledBy(node, by))
          throw fail(`${event.payload.by} has not handled ${node.id}`);
      }
      if (event.type === "run.ending" && event.payload.as === "failed") requireCause(facts, event.payload.reason);
    },
    afterTurn(facts, { events }): void {
      if (events.length === 0) return;
      for (const node of facts.nodes.values()) {
        if (node.owner !== null || !hasFailed(node) || node.isHandled) continue;
        const tolerantDependents = tolerantDependentsOf(facts, node);
        if (tolerantDependents.some((each) => isHandledBy(node, each)))
          throw new Violation("handling", facts.runId, `${node.id} is handled, and nothing says so`);
        // A rewind may keep a failure that had ended the run.
        const isLeft = facts.ending === null && !facts.hasEnded && facts.epoch === 0 && tolerantDependents.length > 0;
        if (!isLeft || node.plan.onFailure === "isolate") continue;
        if (tolerantDependents.every((each) => hasDecided(facts, node, each)))
          throw new Violation("handling", facts.runId, `no node handles ${node.id}, and the run continues`);
      }
    },
  };
}

/** A step that others wait for does not end the run before they have decided. */
function requireCause(facts: RunFacts, reason: string): void {
  const cause = facts.nodes.get(reason.replace(/ failed$/u, ""));
  if (cause === undefined || cause.plan.work?.kind === "fail" || !hasFailed(cause)) return;
  const open = tolerantDependentsOf(facts, cause).find((each) => !hasDecided(facts, cause, each));
  if (open === undefined && !cause.isHandled) return;
  const why = open === undefined ? "it was handled" : `${open.id} is ${open.status}`;
  throw new Violation("handling", facts.runId, `${cause.id} ends the run, and ${why}`);
}

/** A step with `join` reads only the parents that were counted, and a race leaves no direct parent open. */
export function joinsAreKept(): Checker {
  return {
    id: "join",
    beforeEvent({ facts, node, event, turn }: Seen): void {
      if (node === undefined) return;
      const fail = (message: string) => new Violation("join", facts.runId, `${node.id} ${message}`);
      if (event.type === "node.provenance") {
        const { counted } = node.owner ?? node;
        const source = facts.nodes.get(event.payload.sourceNodeId ?? "");
        if (counted === null || source === undefined || !parentsOf(facts, node).includes(source)) return;
        if (!counted.includes(source.id)) throw fail(`reads ${source.id}, which was not counted`);
      }
      if (event.type !== "node.skipped" || event.payload.reason !== "race_lost" || node.openAttempt === 0) return;
      const isCalledOff = turn.effects.some(
        (effect) => (effect.type === "cancel-dispatch" || effect.type === "cancel-child") && effect.nodeId === node.id,
      );
      if (!isCalledOff) throw fail("has lost the race and is not called off");
    },
    afterTurn(facts, { events, effects }): void {
      if (events.length === 0) return;
      for (const effect of effects) if (effect.type === "start-child") requireBlockReads(facts, effect);
      for (const node of facts.nodes.values()) {
        if (node.owner !== null || node.plan.join?.isRace !== true || node.counted === null || node.isCarried) continue;
        // What is taken back later runs without a race.
        if (facts.epoch > 0) continue;
        const open = parentsOf(facts, node).find(({ status }) => !isSettled(status));
        if (open !== undefined)
          throw new Violation("join", facts.runId, `${open.id} is ${open.status} after the race for ${node.id}`);
      }
    },
  };
}

/** What a block reads of a step around it is an arg with the name of that step, or of a part of it. */
function requireBlockReads(facts: RunFacts, { nodeId, args, block }: StartChild): void {
  const node = facts.nodes.get(nodeId);
  const { counted = null } = node?.owner ?? node ?? {};
  if (node === undefined || counted === null || block === undefined) return;
  const given = new Set(Object.keys(args).map((name) => name.split(".")[0]));
  const other = parentsOf(facts, node).find(({ id }) => given.has(id) && !counted.includes(id));
  if (other !== undefined)
    throw new Violation("join", facts.runId, `the block of ${node.id} is given ${other.id}, which was not counted`);
}
