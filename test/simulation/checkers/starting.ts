import { isSettled, type NodeStatus } from "../../../src/core/event/index.ts";
import { judgeCondition } from "../plans/oracle.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

const DECIDING: ReadonlySet<NodeStatus> = new Set(["pending", "awaiting_dependency", "invalidated"]);

/** E1. No node starts before all its parents are settled and its policy allows. */
export function startsAfterParents(): Checker {
  return {
    id: "E1",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      switch (event.type) {
        case "node.queued":
          if (DECIDING.has(node.status)) requireMayRun(facts, node, true);
          return;
        case "node.started":
        case "node.expanded":
        case "child.started":
          requireMayRun(facts, node, false);
          return;
        case "node.skipped":
          if (event.payload.carried !== true && DECIDING.has(node.status))
            requireMaySkip(facts, node, event.payload.reason);
          return;
        default:
      }
    },
  };
}

function parentsOf(facts: RunFacts, node: NodeFacts): readonly NodeFacts[] {
  return node.plan.parents.flatMap((index) => {
    const parent = facts.nodes.get(facts.workflow.plan.nodes[index]?.id ?? "");
    return parent === undefined ? [] : [parent];
  });
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
  const parents = parentsOf(facts, node);
  const open = parents.find((parent) => !isSettled(parent.status));
  if (open !== undefined) throw fail(`began while its parent ${open.id} is ${open.status}`);
  const broken = parents.find(isBroken);
  if (broken !== undefined && !isSubstituting(node))
    throw fail(`began although its parent ${broken.id} is ${broken.status}`);
  if (parents.length > 0 && parents.every(({ status }) => status === "skipped"))
    throw fail("began after skipped parents only");
  if (isDecision && broken === undefined && !isConditionMet(facts, node))
    throw fail("began although its condition is false");
}

function isSubstituting({ plan }: NodeFacts): boolean {
  return plan.body.kind === "lens" && plan.body.onParentFailure === "substitute_default";
}

function isConditionMet(facts: RunFacts, node: NodeFacts): boolean {
  const { conditions, edges } = facts.workflow.oracle;
  const form = conditions.get(node.id);
  if (form !== undefined) return judgeCondition(form, (step) => outputsIn(facts, step), facts.args);
  const incoming = edges.get(node.id);
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
  const open = parents.find((parent) => !isSettled(parent.status));
  if (open !== undefined) throw fail(`while its parent ${open.id} is ${open.status}`);
  if (reason === "parents_skipped" && parents.some(({ status }) => status !== "skipped"))
    throw fail("but a parent is not skipped");
  if (reason === "parent_failed" && !parents.some(isBroken)) throw fail("but no parent failed");
  if (reason === "condition_false" && isConditionMet(facts, node)) throw fail("but its condition holds");
}
