import type { Carried } from "../../../src/core/engine/index.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import { type Checker, Violation } from "./checker.ts";
import { parentsOf } from "./outcomes.ts";

/**
 * E10. A restart runs again exactly what failed, timed out or was cancelled (or the named node) and everything below
 * it; all other completed nodes and deliberate skips are carried and never run.
 */
export function restartsExactly(): Checker {
  return {
    id: "E10",
    restarted(source, named, carried): void {
      const again = runsAgain(source, (node) => (named === undefined ? isBroken(node.status) : node.id === named));
      const broken = runsAgain(source, ({ status }) => isBroken(status));
      const results = carried.filter(({ status }) => status !== "open" && status !== "prompt");
      const kept = new Map(results.map((each) => [each.nodeId, each]));
      if (kept.size !== results.length) throw new Violation("E10", source.runId, "a node is carried twice");
      for (const node of source.nodes.values()) {
        if (node.owner !== null) continue;
        // Below what failed elsewhere a restart from a named node may do either.
        if (named !== undefined && broken.has(node.id) && !again.has(node.id)) continue;
        const mustCarry = !again.has(node.id) && (node.status === "completed" || node.status === "skipped");
        requireCarried(source, node.id, node.status, kept.get(node.id), mustCarry);
      }
      requireInstances(source, again, named, kept);
    },
    beforeEvent({ facts, node, event }): void {
      const isStart = event.type === "node.started" || event.type === "node.queued" || event.type === "node.expanded";
      if (!isStart || node === undefined || !node.isCarried || node.status === "invalidated") return;
      if (facts.epoch > 0) return;
      throw new Violation("E10", facts.runId, `${node.id} was carried over and runs again`);
    },
  };
}

function requireCarried(
  { runId }: RunFacts,
  id: string,
  status: string,
  carried: Carried | undefined,
  mustCarry: boolean,
): void {
  if (mustCarry && carried === undefined) throw new Violation("E10", runId, `${id} is ${status} and is not carried`);
  if (!mustCarry && carried !== undefined) throw new Violation("E10", runId, `${id} must run again and is carried`);
  if (carried !== undefined && carried.status !== status) {
    throw new Violation("E10", runId, `${id} is ${status} and is carried as ${carried.status}`);
  }
}

/** Of a `for_each` node that runs again only the instances that did not complete do. */
function requireInstances(
  source: RunFacts,
  again: ReadonlySet<string>,
  named: string | undefined,
  kept: ReadonlyMap<string, Carried>,
): void {
  for (const node of source.nodes.values()) {
    if (node.owner === null) continue;
    const isKept = kept.has(node.id);
    if (isKept && node.status !== "completed") {
      throw new Violation("E10", source.runId, `instance ${node.id} is ${node.status} and is carried`);
    }
    const isOwnFailure = again.has(node.owner.id) && named === undefined && isBroken(node.owner.status);
    const hasNewInputs = node.owner.plan.parents.some((index) =>
      again.has(source.workflow.plan.nodes[index]?.id ?? ""),
    );
    if (
      isOwnFailure &&
      !hasNewInputs &&
      node.status === "completed" &&
      !isKept &&
      isCurrent(node.owner.instances, node)
    ) {
      throw new Violation("E10", source.runId, `instance ${node.id} completed and is not carried`);
    }
  }
}

function isCurrent<T>(instances: readonly T[], node: T): boolean {
  return instances.includes(node);
}

function isBroken(status: string): boolean {
  return status === "failed" || status === "timed_out" || status === "cancelled";
}

/** A join that is done runs again only for the parents it counted. */
function isDoneWithout({ counted, status }: NodeFacts, parent: string): boolean {
  return counted !== null && (status === "completed" || status === "skipped") && !counted.includes(parent);
}

function runsAgain(source: RunFacts, isChosen: (node: NodeFacts) => boolean): ReadonlySet<string> {
  const again = new Set<string>();
  const open = [...source.nodes.values()].flatMap((node) => {
    return node.owner === null && isChosen(node) ? [node.plan] : [];
  });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (again.has(next.id)) continue;
    again.add(next.id);
    for (const index of next.dependents) {
      const dependent = source.nodes.get(source.workflow.plan.nodes[index]?.id ?? "");
      if (dependent === undefined || isDoneWithout(dependent, next.id)) continue;
      open.push(dependent.plan);
      // A race is run again by all who were in it.
      if (dependent.counted === null) continue;
      const others = parentsOf(source, dependent).filter(
        ({ status, skipReason }) => status === "skipped" && skipReason === "race_lost",
      );
      open.push(...others.map(({ plan }) => plan));
    }
  }
  return again;
}
