import { isSettled, type RunEvent } from "../../../src/core/event/index.ts";
import type { ApprovalFacts, NodeFacts, RunFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";
import { hasFailed } from "./outcomes.ts";

/** Written out here and not taken from the core: a checker must not trust the lists it checks. */
const ENDS: ReadonlySet<string> = new Set(["run.completed", "run.failed", "run.cancelled", "run.timed_out"]);

/** A run ends as its nodes say, with everything settled and every question closed, and its end is the last of a turn. */
export function endsAsNodesSay(): Checker {
  return {
    id: "ending",
    beforeEvent({ facts, event, turn }: Seen): void {
      if (!ENDS.has(event.type)) return;
      const fail = (message: string) => new Violation("ending", facts.runId, `${event.type}: ${message}`);
      if (turn.events.at(-1) !== event) throw fail("is not the last of its turn");
      const planNodes = [...facts.nodes.values()].filter((node) => node.owner === null);
      const open = [...facts.nodes.values()].find((node) => !isSettled(node.status) && isCurrent(node));
      if (open !== undefined) throw fail(`${open.id} is ${open.status}`);
      const asked = [...facts.approvals.values()].find(({ status }) => status === "pending");
      if (asked !== undefined) throw fail(`approval ${asked.id} is still open`);
      const expected = expectedEnd(facts, planNodes);
      // Whether there was a reason to is for the checker of outputs to say.
      const isWithoutOutputs = event.type === "run.failed" && event.payload.errorCode === "outputs_error";
      // And whether what comes last has failed for the checker of that.
      const isTurned =
        facts.workflow.plan.finally !== null && expected === "run.completed" && event.type === "run.failed";
      if (event.type !== (isWithoutOutputs || isTurned ? "run.failed" : expected))
        throw fail(`its nodes say ${expected}`);
      requireCounts(facts, event, fail);
    },
    afterCommit(facts, turns): void {
      const at = turns.findIndex(({ events }) => events.some(({ type }) => ENDS.has(type)));
      if (at < 0) return;
      const later = turns.slice(at + 1).flatMap(({ events }) => events);
      if (later.length > 0)
        throw new Violation("ending", facts.runId, `${later[0]?.type} in the commit of the run's end`);
    },
  };
}

/** Instances an earlier epoch left behind, and those taken back with a node that then ended otherwise, are history. */
function isCurrent(node: NodeFacts): boolean {
  return node.owner === null || (node.owner.instances.includes(node) && node.status !== "invalidated");
}

function expectedEnd(facts: RunFacts, nodes: readonly NodeFacts[]): string {
  if (facts.ending !== null) return `run.${facts.ending}`;
  const isCancelled = nodes.some(({ status }) => status === "cancelled");
  const isFailed = nodes.some((node) => hasFailed(node) && !node.isHandled);
  if (facts.workflow.plan.completion === "strict") {
    if (isFailed) return "run.failed";
    return isCancelled ? "run.cancelled" : "run.completed";
  }
  const leaves = nodes.filter(({ plan }) => plan.dependents.length === 0);
  if (leaves.every(({ status }) => status === "completed" || status === "skipped")) return "run.completed";
  return isCancelled && !isFailed ? "run.cancelled" : "run.failed";
}

function requireCounts(facts: RunFacts, event: RunEvent, fail: (message: string) => Violation): void {
  if (!("counts" in event.payload)) throw fail("says no counts");
  const { counts } = event.payload;
  const statuses = ["completed", "failed", "skipped", "cancelled", "timed_out"] as const;
  for (const status of statuses) {
    const said = counts[status === "timed_out" ? "timedOut" : status];
    const seen = facts.counts.get(status) ?? 0;
    if (said !== seen) throw fail(`counts ${said} ${status}, there are ${seen}`);
  }
}

/**
 * An open approval and a blocked node belong to each other, one to one, whenever a commit ends. About tool calls there may
 * be several, also while the agent is at work or is to try again.
 */
export function approvalsMatchBlocked(): Checker {
  return {
    id: "approvals",
    afterCommit(facts, turns): void {
      if (
        !turns.some(({ events }) => events.some(({ type }) => type.startsWith("approval.") || type === "node.blocked"))
      )
        return;
      const waiting = new Map<string, ApprovalFacts>();
      for (const approval of facts.approvals.values()) {
        const { id, nodeId, status, source } = approval;
        if (status !== "pending") continue;
        const other = waiting.get(nodeId);
        if (other !== undefined && source !== "tool" && other.source !== "tool")
          throw new Violation("approvals", facts.runId, `${nodeId} waits for ${other.id} and ${id}`);
        if (other === undefined || source !== "tool") waiting.set(nodeId, approval);
        const node = facts.nodes.get(nodeId);
        const isOpen = source === "tool" && node !== undefined && !isSettled(node.status);
        if (node?.status !== "blocked" && !isOpen) {
          throw new Violation("approvals", facts.runId, `${id} is open, but ${nodeId} is ${node?.status}`);
        }
      }
      for (const node of facts.nodes.values()) {
        if (node.status === "blocked" && node.waitingReason === "human_input" && !waiting.has(node.id)) {
          throw new Violation("approvals", facts.runId, `${node.id} is blocked and no person is asked`);
        }
      }
    },
  };
}
