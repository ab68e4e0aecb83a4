import { isSettled, type NodeStatus } from "../../../src/core/event/index.ts";
import { judgeCondition } from "../plans/oracle.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";
import { hasFailed, isMet, outcomeOf, parentsOf } from "./outcomes.ts";

const DECIDING: ReadonlySet<NodeStatus> = new Set(["pending", "awaiting_dependency", "invalidated"]);

/** E1. No node starts before all its parents are settled, or as many as its join names, and its policy allows. */
export function startsAfterParents(): Checker {
  return {
    id: "E1",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      switch (event.type) {
        case "node.queued":
          if (!DECIDING.has(node.status)) return;
          if (node.plan.join === null || node.owner !== null) requireMayRun(facts, node, true);
          else requireReached(facts, node, event.payload.counted ?? []);
          return;
        case "node.started":
        case "node.expanded":
        case "child.started":
          requireMayRun(facts, node, false);
          return;
        case "node.skipped":
          if (event.payload.carried === true) return;
          if (event.payload.reason === "race_lost") requireRace(facts, node);
          else if (DECIDING.has(node.status)) requireMaySkip(facts, node, event.payload.reason);
          else if (isAfterJoin(node, event.payload.reason) && isConditionMet(facts, node) && hasBranch(facts, node))
            throw new Violation("E1", facts.runId, `${node.id} was skipped although its condition holds`);
          return;
        default:
      }
    },
  };
}

function isAfterJoin({ plan }: NodeFacts, reason: string): boolean {
  return plan.join !== null && reason === "condition_false";
}

/** The branches that are drawn ask for one mode. */
function hasBranch({ args }: RunFacts, { plan: { choose } }: NodeFacts): boolean {
  return choose === null || args["mode"] === "a" || choose.some(({ when }) => when === null);
}

function isBroken({ status }: NodeFacts): boolean {
  return status === "failed" || status === "timed_out" || status === "cancelled";
}

function requireMayRun(facts: RunFacts, node: NodeFacts, isDecision: boolean): void {
  const fail = (message: string) => new Violation("E1", facts.runId, `${node.id} ${message}`);
  if (node.owner !== null) {
    if (node.owner.status !== "running") throw fail(`began while its node is ${node.owner.status}`);
    return;
  }
  if (node.plan.join !== null) {
    if (node.counted === null) throw fail("began before its join was reached");
    if (node.tries === 0 && !isConditionMet(facts, node)) throw fail("began although its condition is false");
    return;
  }
  const parents = parentsOf(facts, node);
  const open = parents.find((parent) => !isSettled(parent.status));
  if (open !== undefined) throw fail(`began while its parent ${open.id} is ${open.status}`);
  const unmet = parents.find((parent) => outcomeOf(node, parent) === "failure" && !hasFailed(parent));
  if (unmet !== undefined) throw fail(`handles ${unmet.id}, which is ${unmet.status}`);
  const broken = parents.find((parent) => outcomeOf(node, parent) === "success" && isBroken(parent));
  if (broken !== undefined && !isSubstituting(node))
    throw fail(`began although its parent ${broken.id} is ${broken.status}`);
  if (parents.length > 0 && parents.every((parent) => parent.status === "skipped" && !isMet(node, parent)))
    throw fail("began after skipped parents only");
  if (isDecision && broken === undefined && !isConditionMet(facts, node))
    throw fail("began although its condition is false");
}

/** The parents that were enough are as many as the join names, and have ended as it waits for. */
function requireReached(facts: RunFacts, node: NodeFacts, counted: readonly string[]): void {
  const fail = (message: string) => new Violation("E1", facts.runId, `${node.id} ${message}`);
  const parents = parentsOf(facts, node);
  if (counted.length !== node.plan.join?.count || new Set(counted).size !== counted.length)
    throw fail(`began with ${counted.length} parents counted`);
  for (const id of counted) {
    const parent = parents.find((each) => each.id === id);
    if (parent === undefined || !isMet(node, parent)) throw fail(`counted ${id}, which is ${parent?.status}`);
    const later = parents.find((each) => isMet(node, each) && !counted.includes(each.id) && isBefore(each, parent));
    if (later !== undefined) throw fail(`counted ${id} and not ${later.id}, which settled before`);
  }
}

function isBefore(left: NodeFacts, right: NodeFacts): boolean {
  return left.settledEventId < right.settledEventId;
}

function requireRace(facts: RunFacts, node: NodeFacts): void {
  const isLost = [...facts.nodes.values()].some(
    ({ plan, counted }) => plan.join?.isRace === true && counted !== null && plan.parents.includes(node.plan.index),
  );
  if (!isLost) throw new Violation("E1", facts.runId, `${node.id} has lost a race that was not run`);
}

function isSubstituting({ plan }: NodeFacts): boolean {
  return plan.body.kind === "lens" && plan.body.onParentFailure === "substitute_default";
}

function isConditionMet(facts: RunFacts, node: NodeFacts): boolean {
  const { conditions, edges } = facts.workflow.oracle;
  const form = conditions.get(node.id);
  const isSeen = (step: string): boolean => node.counted === null || node.counted.includes(step);
  if (form !== undefined)
    return judgeCondition(form, (step) => (isSeen(step) ? outputsIn(facts, step) : undefined), facts.args);
  const incoming = edges.get(node.id)?.filter(({ source }) => isSeen(source));
  if (incoming === undefined || incoming.every(({ equals }) => equals === null)) return true;
  return incoming.some(({ source, equals }) => {
    const parent = facts.nodes.get(source);
    return parent?.status === "completed" && (equals === null || parent.text === equals);
  });
}

function outputsIn(facts: RunFacts, step: string) {
  const node = facts.nodes.get(step);
  return node?.status === "completed" ? (node.outputs ?? undefined) : undefined;
}

function requireMaySkip(facts: RunFacts, node: NodeFacts, reason: string): void {
  const fail = (message: string) => new Violation("E1", facts.runId, `${node.id} was skipped for ${reason} ${message}`);
  const parents = parentsOf(facts, node);
  const { join } = node.plan;
  const open = parents.filter((parent) => !isSettled(parent.status));
  if (join !== null) {
    const met = parents.filter((parent) => isMet(node, parent)).length;
    if (met + open.length >= join.count)
      throw fail(`while ${met} of ${join.count} are met and ${open.length} are open`);
    return;
  }
  const [first] = open;
  if (first !== undefined) throw fail(`while its parent ${first.id} is ${first.status}`);
  const handled = parents.filter((parent) => outcomeOf(node, parent) === "failure");
  if (reason === "no_failure" ? handled.every(hasFailed) : !handled.every(hasFailed))
    throw fail(`and handles ${handled.map(({ id, status }) => `${id} ${status}`).join(", ") || "nothing"}`);
  if (reason === "parents_skipped" && parents.some(({ status }) => status !== "skipped"))
    throw fail("but a parent is not skipped");
  if (reason === "parent_failed" && !parents.some((parent) => isBroken(parent) && !isMet(node, parent)))
    throw fail("but no parent failed");
  if (reason === "condition_false" && isConditionMet(facts, node)) throw fail("but its condition holds");
}
