import { statusAfter } from "../world/status-after.ts";
import { DEFAULT_ESTIMATE_MICROS, roundEstimate } from "../world/agents.ts";
import type { RunFacts } from "../world/facts.ts";
import type { SimRun } from "../world/run.ts";
import { type Checker, type Seen, type Surroundings, Violation } from "./checker.ts";

/** E14. The cost of the nodes is the cost of the run is what the ledger booked. */
export function costsAgree(around: Surroundings): Checker {
  return {
    id: "E14",
    beforeEvent({ facts, event }: Seen): void {
      if (!isEnd(event.type) || !("costMicros" in event.payload)) return;
      if (event.payload.costMicros === facts.costMicros) return;
      throw new Violation(
        "E14",
        facts.runId,
        `the run ends with cost ${event.payload.costMicros}, its events say ${facts.costMicros}`,
      );
    },
    afterCommit(facts): void {
      const booked = around.costOf(facts.runId);
      if (booked !== facts.costMicros) {
        throw new Violation("E14", facts.runId, `the events say ${facts.costMicros}, the ledger ${booked}`);
      }
      let ofNodes = 0;
      if (!facts.hasEnded) return;
      for (const node of facts.nodes.values()) ofNodes += node.costMicros;
      // What comes last is no node.
      for (const { nodeId, costMicros } of facts.children.values()) if (!facts.nodes.has(nodeId)) ofNodes += costMicros;
      if (ofNodes !== booked) throw new Violation("E14", facts.runId, `the nodes cost ${ofNodes}, the run ${booked}`);
    },
  };
}

/** E21. What a run costs, each run above it has recorded once: at no moment more than that, and in the end all of it. */
export function childCostsClimb(around: Surroundings): Checker {
  const requireSame = ({ facts }: SimRun): void => {
    for (const { childRunId, costMicros } of facts.children.values()) {
      const child = around.runs.get(childRunId)?.facts;
      if (child?.hasEnded !== true || child.costMicros === costMicros) continue;
      const message = `recorded ${costMicros} of its child ${childRunId}, which cost ${child.costMicros}`;
      throw new Violation("E21", facts.runId, message);
    }
  };
  return {
    id: "E21",
    afterEvent({ facts, event }: Seen): void {
      if (event.type !== "cost.recorded" || event.payload.childRunId === undefined) return;
      const { childRunId } = event.payload;
      const recorded = facts.children.get(childRunId)?.costMicros;
      const spent = around.runs.get(childRunId)?.facts.costMicros ?? 0;
      if (recorded !== undefined && recorded <= spent) return;
      const message = `event ${event.eventId}: ${recorded} is recorded of ${childRunId}, which cost ${spent}`;
      throw new Violation("E21", facts.runId, message);
    },
    quiet(runs): void {
      for (const run of runs) requireSame(run);
    },
  };
}

/** Written out here and not taken from the core: a checker must not trust the lists it checks. */
function isEnd(type: string): boolean {
  return type === "run.completed" || type === "run.failed" || type === "run.cancelled" || type === "run.timed_out";
}

/** E15. Slots held by an agent never exceed its limit, at any instant. */
export function slotsHold(around: Surroundings): Checker {
  const openByAgent = new Map<string, number>();
  const agentByNode = new Map<string, string>();
  return {
    id: "E15",
    afterEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      const key = `${facts.runId}/${node.id}`;
      if (event.type !== "node.started") {
        const agentId = agentByNode.get(key);
        const to = agentId === undefined ? null : statusAfter(event, node.status);
        if (agentId === undefined || to === null || to === "running" || to === "streaming") return;
        agentByNode.delete(key);
        openByAgent.set(agentId, (openByAgent.get(agentId) ?? 0) - 1);
        return;
      }
      const { agentId } = event.payload;
      if (agentId === null) return;
      const open = (openByAgent.get(agentId) ?? 0) + 1;
      openByAgent.set(agentId, open);
      agentByNode.set(key, agentId);
      const limit = around.agents.get(agentId)?.maxConcurrent ?? 0;
      if (open > limit)
        throw new Violation("E15", facts.runId, `${agentId} has ${open} attempts open, its limit is ${limit}`);
    },
  };
}

/** E16. Spent plus reserved stays within the ceiling at every admission, and whenever a turn may have another round. */
export function budgetsHold(around: Surroundings): Checker {
  const spent = new Map<string, number>();
  const reserved = new Map<string, number>();
  const holding = new Map<string, { readonly agentId: string; readonly estimate: number }>();
  const agentOfAttempt = new Map<string, string>();
  const estimates = new Map<string, number>();
  const nextRounds = new Map<string, number>();
  const add = (to: Map<string, number>, key: string, micros: number) => to.set(key, (to.get(key) ?? 0) + micros);
  const reserveRound = (facts: RunFacts, nodeId: string): void => {
    const key = `${facts.runId}/${nodeId}`;
    const held = holding.get(key);
    const estimate = nextRounds.get(key) ?? 0;
    if (held === undefined) return;
    add(reserved, held.agentId, estimate - held.estimate);
    holding.set(key, { ...held, estimate });
    const total = (spent.get(held.agentId) ?? 0) + (reserved.get(held.agentId) ?? 0);
    const ceiling = around.agents.get(held.agentId)?.ceilingMicros ?? 0;
    if (total > ceiling)
      throw new Violation("E16", facts.runId, `${held.agentId} may have another round at ${total} of ${ceiling}`);
  };
  return {
    id: "E16",
    afterEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      const key = `${facts.runId}/${node.id}`;
      if (event.type === "cost.recorded") {
        const agentId = agentOfAttempt.get(`${key}/${event.payload.attempt}`);
        if (agentId !== undefined) add(spent, agentId, event.payload.costMicros);
        return;
      }
      if (event.type === "node.started" && event.payload.agentId !== null) {
        const { agentId, attempt } = event.payload;
        const estimate = estimates.get(key) ?? 0;
        const total = (spent.get(agentId) ?? 0) + (reserved.get(agentId) ?? 0) + estimate;
        const ceiling = around.agents.get(agentId)?.ceilingMicros ?? 0;
        if (total > ceiling)
          throw new Violation("E16", facts.runId, `${agentId} is admitted at ${total} of ${ceiling}`);
        add(reserved, agentId, estimate);
        holding.set(key, { agentId, estimate });
        agentOfAttempt.set(`${key}/${attempt}`, agentId);
        return;
      }
      const held = holding.get(key);
      const to = held === undefined ? null : statusAfter(event, node.status);
      if (held === undefined || to === null || to === "running" || to === "streaming") return;
      holding.delete(key);
      add(reserved, held.agentId, -held.estimate);
    },
    afterTurn(facts, turn): void {
      const { input } = turn;
      if (input.type === "round_verdict" && input.verdict.disposition === "go") reserveRound(facts, input.nodeId);
      for (const effect of turn.effects) {
        if (effect.type === "request-round-verdict")
          nextRounds.set(`${facts.runId}/${effect.nodeId}`, roundEstimate(effect.contextTokens));
        if (effect.type !== "request-verdict") continue;
        const estimate = effect.hints.estimatedCostMicros ?? DEFAULT_ESTIMATE_MICROS;
        estimates.set(`${facts.runId}/${effect.nodeId}`, estimate);
      }
    },
  };
}

/** E19. A child never outlives a cancelled parent. */
export function childrenEndFirst(around: Surroundings): Checker {
  return {
    id: "E19",
    beforeEvent({ facts, event }: Seen): void {
      if (event.type !== "run.cancelled") return;
      for (const { childRunId } of facts.children.values()) {
        const child = around.runs.get(childRunId);
        if (child === undefined || child.facts.hasEnded) continue;
        throw new Violation("E19", facts.runId, `cancelled while its child ${childRunId} is ${child.facts.status}`);
      }
    },
    quiet(runs): void {
      for (const { facts, parent } of runs) {
        if (parent === null || facts.hasEnded || parent.run.facts.status !== "cancelled") continue;
        throw new Violation(
          "E19",
          facts.runId,
          `continues although its parent ${parent.run.facts.runId} was cancelled`,
        );
      }
    },
  };
}
