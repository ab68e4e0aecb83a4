import { type ChildFacts, type NodeFacts, type RunFacts, takenBy } from "./facts.ts";
import type { SimRun } from "./run.ts";

type Runs = ReadonlyMap<string, SimRun>;

/**
 * Whether a step has taken an event before. It takes each once over all its rounds: its own, and those of the blocks it
 * stands in. What a block took counts when its parent has recorded its end, unless it was given up or taken back.
 */
export function hasTaken(runs: Runs, run: SimRun, node: NodeFacts, id: string): boolean {
  if (takenBy(node).has(id)) return true;
  const way = [stepOf(node)];
  for (let at = run; at.parent !== null && at.start.block !== undefined; at = at.parent.run) {
    const around = at.parent.run.facts;
    const owner = around.nodes.get(at.parent.nodeId);
    if (owner === undefined || isGivenUpBy(around, at)) return false;
    const step = around.nodes.get(stepOf(owner)) ?? owner;
    const isBefore = endedBlocks(around, step).some(({ childRunId }) =>
      hasTakenIn(runs, runs.get(childRunId), way, id),
    );
    if (isBefore) return true;
    way.unshift(step.id);
  }
  return false;
}

/** The node that stands for all rounds of a step; elements of a list are each for themselves. */
function stepOf({ id, owner, plan }: NodeFacts): string {
  return owner !== null && plan.repeat !== null ? owner.id : id;
}

function hasTakenIn(runs: Runs, block: SimRun | undefined, [first, ...rest]: readonly string[], id: string): boolean {
  const step = block?.facts.nodes.get(first ?? "");
  if (block === undefined || step === undefined) return false;
  if (rest.length === 0) return step.taken.has(id);
  return endedBlocks(block.facts, step).some(({ childRunId }) => hasTakenIn(runs, runs.get(childRunId), rest, id));
}

function endedBlocks({ nodes, children }: RunFacts, step: NodeFacts): readonly ChildFacts[] {
  return [...children.values()].filter(({ nodeId, hasFinished, isGivenUp, epoch }) => {
    const node = nodes.get(nodeId);
    if (node === undefined || (node !== step && node.owner !== step) || stepOf(node) !== step.id) return false;
    return hasFinished && !isGivenUp && node.status !== "invalidated" && node.epoch === epoch;
  });
}

/** What such a block takes while its cancellation is on the way is of no use to anyone. */
function isGivenUpBy({ nodes, children }: RunFacts, { facts: { runId } }: SimRun): boolean {
  const own = [...children.values()].find(({ childRunId }) => childRunId === runId);
  return own !== undefined && (own.isGivenUp || nodes.get(own.nodeId)?.epoch !== own.epoch);
}
