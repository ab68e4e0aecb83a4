import { canonicalJson } from "../../../src/core/base/index.ts";
import type { Dispatch } from "../../../src/core/engine/index.ts";
import { isSettled } from "../../../src/core/event/index.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import { type Checker, type Seen, type Surroundings, Violation } from "./checker.ts";

/** A round is kept once, in order; no model is asked for it by an execution that was sent after that. */
export function roundsArePaidOnce(): Checker {
  const kept = new Map<string, number>();
  return {
    id: "rounds",
    beforeEvent({ facts, node, event }: Seen): void {
      if (event.type !== "round.completed" || node === undefined) return;
      const { round } = event.payload;
      const expected = node.turn?.rounds.length ?? 0;
      if (round !== expected)
        throw new Violation("rounds", facts.runId, `${node.id} keeps round ${round}, the next is ${expected}`);
      kept.set(`${facts.runId}/${node.id}/${node.epoch}/${round}`, event.eventId);
    },
    paid(facts, { nodeId, epoch, round, execution }): void {
      const eventId = kept.get(`${facts.runId}/${nodeId}/${epoch}/${round}`);
      if (eventId === undefined || execution.sentAfter < eventId) return;
      const message = `${execution.dispatchId} paid round ${round} of ${nodeId} again, which event ${eventId} has kept`;
      throw new Violation("rounds", facts.runId, message);
    },
  };
}

/** A turn that is paused goes on once nothing is asked about it, and with everything the log has of it. */
export function turnsContinue(): Checker {
  return {
    id: "continue",
    afterTurn(facts, { effects, input }): void {
      for (const effect of effects) if (effect.type === "dispatch") requireAll(facts, effect);
      if (input.type !== "approval" && input.type !== "timer" && input.type !== "tool_result") return;
      for (const node of facts.nodes.values()) {
        if (node.status !== "blocked" || node.turn === null || node.waitingReason !== "human_input") continue;
        const isAsked = [...facts.approvals.values()].some(
          ({ nodeId, status }) => nodeId === node.id && status === "pending",
        );
        if (!isAsked)
          throw new Violation("continue", facts.runId, `${node.id} is asked about no more and does not go on`);
      }
    },
  };
}

function requireAll(facts: RunFacts, { nodeId, dispatchId, turn }: Dispatch): void {
  const known = facts.nodes.get(nodeId)?.turn ?? null;
  const fail = (message: string) => new Violation("continue", facts.runId, `${dispatchId} ${message}`);
  const rounds = known?.rounds ?? [];
  if ((turn?.rounds.length ?? 0) !== rounds.length)
    throw fail(`continues ${turn?.rounds.length ?? 0} rounds of ${rounds.length}`);
  if (turn === null || known === null) return;
  const asked = turn.rounds.map(({ calls }) => calls.map(({ tool, args }) => ({ tool, args })));
  const kept = rounds.map(({ calls }) => calls.map(({ tool, args }) => ({ tool, args })));
  if (canonicalJson(asked) !== canonicalJson(kept)) throw fail("continues with other calls");
  for (const call of known.calls.values()) {
    const sent = turn.calls.get(call.id);
    if (sent?.ruling.kind !== call.ruling)
      throw fail(`has ${sent?.ruling.kind} for ${call.id}, the log ${call.ruling}`);
    if ((sent?.result !== null) !== call.completedWith > 0) throw fail(`has not the result of ${call.id}`);
    if (canonicalJson(sent?.args ?? {}) !== canonicalJson(call.args)) throw fail(`has other args for ${call.id}`);
  }
}

/** A turn that is suspended holds no slot, no money and no time: it has as much left as it had when it stopped. */
export function suspendedHoldsNothing(around: Surroundings): Checker {
  return {
    id: "suspended",
    beforeEvent({ facts, node, event, turn: { input } }: Seen): void {
      if (input.type !== "timer" || input.timer.kind !== "attempt" || node?.id !== input.timer.nodeId) return;
      if (event.type !== "node.timed_out" && event.type !== "node.retried") return;
      const ranMs = node.ranMs + event.at - node.startedAt;
      if (node.openAttempt > 0 && ranMs >= (node.plan.timeoutMs ?? 0)) return;
      throw new Violation("suspended", facts.runId, `${node.id} timed out after ${ranMs} ms`);
    },
    afterTurn(facts, { input, events }): void {
      const fail = (message: string) => new Violation("suspended", facts.runId, message);
      for (const event of events) {
        if (event.type !== "node.started" || event.payload.segment === undefined) continue;
        const node = facts.nodes.get(event.payload.nodeId);
        const { timeoutMs = null } = node?.plan ?? {};
        if (node === undefined || timeoutMs === null) continue;
        const dueAt = event.at + Math.max(1, timeoutMs - node.ranMs);
        if (event.payload.deadlineAt !== dueAt)
          throw fail(`${node.id} continues until ${event.payload.deadlineAt}, its time ends at ${dueAt}`);
      }
      if (input.type !== "callback" || input.result.status !== "suspended" || events.length === 0) return;
      const node = facts.nodes.get(input.nodeId);
      if (node !== undefined && isReported(node, input)) throw fail(`${node.id} was suspended and is ${node.status}`);
    },
    afterCommit(facts): void {
      for (const node of facts.nodes.values()) {
        if (node.turn === null || node.openAttempt > 0 || !around.holds(facts.runId, node.id)) continue;
        throw new Violation("suspended", facts.runId, `${node.id} is ${node.status} and holds slot and money`);
      }
    },
  };
}

function isReported(
  node: NodeFacts,
  { attempt, segment = 0 }: { readonly attempt: number; readonly segment?: number },
) {
  return node.openAttempt === attempt && node.segment === segment;
}

/** What a round cost is recorded once, with it; and nothing is held any more when all has ended. */
export function roundsAreSettled(around: Surroundings): Checker {
  const recorded = new Map<string, number>();
  return {
    id: "settled_rounds",
    beforeEvent({ facts, event }: Seen): void {
      if (event.type !== "cost.recorded" || event.payload.round === undefined || event.payload.late === true) return;
      const { nodeId, attempt, segment, round } = event.payload;
      const key = `${facts.runId}/${nodeId}/${attempt}/${segment}/${round}`;
      if (recorded.has(key)) throw new Violation("settled_rounds", facts.runId, `the cost of ${key} is recorded twice`);
      recorded.set(key, event.payload.costMicros);
    },
    afterTurn(facts, { events }): void {
      for (const event of events) {
        if (event.type !== "round.completed") continue;
        const { nodeId, attempt, segment, round, costMicros } = event.payload;
        const booked = recorded.get(`${facts.runId}/${nodeId}/${attempt}/${segment}/${round}`);
        if (booked !== costMicros)
          throw new Violation(
            "settled_rounds",
            facts.runId,
            `round ${round} cost ${costMicros}, ${booked} is recorded`,
          );
      }
    },
    quiet(runs): void {
      for (const { facts } of runs) {
        for (const node of facts.nodes.values()) {
          const isOver = facts.hasEnded || isSettled(node.status);
          if (isOver && around.holds(facts.runId, node.id))
            throw new Violation("settled_rounds", facts.runId, `${node.id} is ${node.status} and holds money`);
        }
      }
    },
  };
}
