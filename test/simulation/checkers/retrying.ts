import { LIMITS } from "../../../src/core/base/index.ts";
import type { RunEvent } from "../../../src/core/event/index.ts";
import type { NodeFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

/** Retries happen as often and as late as the policy says, and never for what must happen once. */
export function retriesFollowPolicy(): Checker {
  const extra = new Map<string, number>();
  const sent = new Map<string, number>();
  /** Dispatches that are no further call: they continue a suspended turn, or arrive again after a round that they had completed. */
  const uncounted = new Set<string>();
  return {
    id: "retry",
    beforeEvent({ facts, node, event, turn }: Seen): void {
      if (node === undefined) return;
      const key = `${facts.runId}/${node.id}/${facts.epoch}`;
      if (event.type === "approval.resolved" && event.payload.decision === "retry")
        extra.set(key, (extra.get(key) ?? 0) + 1);
      const attempt = `${facts.runId}/${node.id}/${node.attempts}`;
      if (event.type === "round.completed") {
        sent.delete(`${facts.runId}/${node.id}/${node.epoch}`);
        uncounted.add(`${attempt}${suffixOf(event.payload.segment)}`);
      }
      if (event.type === "node.blocked" && event.payload.segment !== undefined)
        uncounted.add(`${attempt}${suffixOf(event.payload.segment + 1)}`);
      if (event.type !== "node.retried" || event.payload.cause === "agent_disabled") return;
      const fail = (message: string) => new Violation("retry", facts.runId, `${node.id} ${message}`);
      const { retry, effects } = node.plan;
      if (effects === "at_most_once") throw fail("may run at most once and is retried");
      if (facts.ending !== null) throw fail(`is retried while the run is ${facts.ending}`);
      const { assignTo, model } = event.payload;
      if (model !== undefined) {
        if (!node.plan.request.models.includes(model, 1)) throw fail(`goes to the model ${model}, which is not next`);
        if (event.payload.delayMs !== 0) throw fail("keeps the next model waiting");
        extra.set(key, node.tries);
        return;
      }
      if (assignTo !== undefined) {
        if (!isNext(node, assignTo)) throw fail(`goes to ${assignTo}, who is not next`);
        if (event.payload.delayMs !== 0) throw fail("keeps the next member waiting");
        extra.set(key, node.tries);
        return;
      }
      if (node.tries >= retry.attempts + (extra.get(key) ?? 0)) throw fail(`is retried after ${node.tries} attempts`);
      if (retry.causes !== "any" && !retry.causes.some((cause) => cause === event.payload.cause)) {
        throw fail(`is retried for ${event.payload.cause}`);
      }
      const { delayMs } = event.payload;
      const expected = expectedDelay(node, event, turn.input.jitter, retryAfterOf(turn));
      if (Math.abs(delayMs - expected) > 1) throw fail(`waits ${delayMs} ms instead of ${expected} ms`);
    },
    sent(facts, dispatch): void {
      const isFurther = !uncounted.has(dispatch.dispatchId);
      const times = (sent.get(dispatch.idempotencyKey) ?? 0) + (isFurther ? 1 : 0);
      sent.set(dispatch.idempotencyKey, times);
      const fail = (message: string) => new Violation("retry", facts.runId, `${dispatch.dispatchId} ${message}`);
      if (times > LIMITS.callsPerNodeMax) throw fail(`is adapter call ${times} of its node`);
      const isAgain = times > 1 && dispatch.turn === null;
      if (dispatch.effects === "at_most_once" && isAgain) throw fail("may run at most once and was sent again");
      if (dispatch.idempotencyKey !== `${facts.runId}/${dispatch.nodeId}/${dispatch.epoch}`)
        throw fail("has another key");
      const attempt = `${facts.runId}/${dispatch.nodeId}/${dispatch.attempt}`;
      if (dispatch.dispatchId !== `${attempt}${suffixOf(dispatch.segment)}`) throw fail("has another id");
    },
  };
}

function suffixOf(segment: number): string {
  return segment === 0 ? "" : `#${segment}`;
}

/** The member that takes over stands behind the one that had it. */
function isNext({ plan, agentId }: NodeFacts, assignTo: string): boolean {
  const agents = (plan.duty?.candidates ?? []).map(({ agent }) => agent);
  const place = agents.indexOf(assignTo, 1);
  return place > 0 && (agentId === null || agents.slice(0, place).includes(agentId));
}

function retryAfterOf({ input }: Seen["turn"]): number {
  if (input.type !== "callback" || !("retryAfterMs" in input.result)) return 0;
  return Math.min(input.result.retryAfterMs ?? 0, LIMITS.retryAfterMsMax);
}

function expectedDelay(
  node: NodeFacts,
  _event: Extract<RunEvent, { readonly type: "node.retried" }>,
  jitter: number,
  retryAfterMs: number,
): number {
  const { delay } = node.plan.retry;
  if (delay.kind === "exact")
    return Math.max(retryAfterMs, delay.delaysMs[Math.min(node.tries, delay.delaysMs.length) - 1] ?? 0);
  const own = Math.min(delay.maxMs, delay.baseMs * 2 ** (node.tries - 1)) * (0.5 + jitter / 2);
  return Math.max(retryAfterMs, own);
}
