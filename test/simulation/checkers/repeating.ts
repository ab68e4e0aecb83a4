import { isDeepStrictEqual } from "node:util";
import { getOwn, type JsonObject } from "../../../src/core/base/index.ts";
import type { RunEvent } from "../../../src/core/event/index.ts";
import type { NodeFacts, RunFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

/**
 * A repeated step has its rounds one after the other, not too early and not too many, and ends with the first that meets
 * its condition.
 */
export function roundsFollow(): Checker {
  const endedAt = new Map<string, number>();
  return {
    id: "repeat",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined || node.plan.repeat === null) return;
      const fail = (message: string) => new Violation("repeat", facts.runId, `${node.id} ${message}`);
      if (event.type === "node.round") requireNext(facts, node, event.payload.round, fail);
      if (node.owner !== null && (event.type === "node.started" || event.type === "node.completed"))
        requirePause(facts, node, event.at, endedAt, fail);
      const isEnd = event.type === "node.completed" || event.type === "node.failed";
      if (isEnd && node.owner === null && node.status === "running") requireEnd(node, event, fail);
    },
    afterEvent({ facts, node, event }: Seen): void {
      if (node?.status === "completed" && event.type === "node.completed")
        endedAt.set(`${facts.runId}/${node.id}`, event.at);
      // A round that was carried over ends when the run takes it.
      if (event.type === "node.completed" && node === undefined)
        endedAt.set(`${facts.runId}/${event.payload.nodeId}`, event.at);
    },
  };
}

type Fail = (message: string) => Violation;

function requireNext(facts: RunFacts, node: NodeFacts, round: number, fail: Fail): void {
  const last = node.instances.at(-1);
  if (facts.ending !== null) throw fail("has another round although the run ends");
  if (round !== node.instances.length) throw fail(`has round ${round} after ${node.instances.length}`);
  if (node.instances.some(({ status }) => status !== "completed")) throw fail("has a round before the last completed");
  if (round >= (node.plan.repeat?.max ?? 0)) throw fail(`has round ${round}, which is one too many`);
  if (last !== undefined && isMet(node, last)) throw fail("has another round although its condition holds");
}

function requirePause(
  facts: RunFacts,
  node: NodeFacts,
  at: number,
  endedAt: ReadonlyMap<string, number>,
  fail: Fail,
): void {
  const { owner, plan } = node;
  const element = owner?.instances.indexOf(node) ?? 0;
  const before = element > 0 ? owner?.instances[element - 1] : undefined;
  const everyMs = plan.repeat?.everyMs ?? null;
  const ended = before === undefined ? undefined : endedAt.get(`${facts.runId}/${before.id}`);
  if (everyMs !== null && ended !== undefined && at < ended + everyMs) throw fail("begins before its pause is over");
}

function requireEnd(node: NodeFacts, event: RunEvent, fail: Fail): void {
  const last = node.instances.at(-1);
  if (last === undefined) return;
  const isMeeting = last.status === "completed" && isMet(node, last);
  const isUsedUp = node.instances.length === node.plan.repeat?.max;
  if (event.type === "node.failed") {
    const { errorCode } = event.payload;
    if (errorCode === "repeat_exhausted" && (isMeeting || !isUsedUp)) throw fail("fails before its rounds are used up");
    if (errorCode !== "repeat_exhausted" && errorCode !== last.errorCode) throw fail(`fails with ${errorCode}`);
    return;
  }
  if (event.type !== "node.completed" || event.payload.carried === true) return;
  if (last.status !== "completed") throw fail(`completes while ${last.id} is ${last.status}`);
  const doesContinue = node.plan.repeat?.onExhausted === "continue";
  if (!isMeeting && !(isUsedUp && doesContinue)) throw fail("completes although its condition does not hold");
  const added = { rounds: node.instances.length, ...(doesContinue ? { exhausted: !isMeeting } : {}) };
  if (!isDeepStrictEqual(event.payload.outputs, { ...last.outputs, ...added }))
    throw fail(`returns ${JSON.stringify(event.payload.outputs)}`);
}

/** The conditions that are drawn, read by hand. */
function isMet({ plan, instances }: NodeFacts, round: NodeFacts): boolean {
  const [, name, , limit] = /^(round|outputs\.n) (>=|>) (\d+)$/u.exec(plan.repeat?.until.text ?? "") ?? [];
  if (name === "round") return instances.indexOf(round) >= Number(limit);
  const outputs: JsonObject = round.outputs ?? {};
  return Number(getOwn(outputs, "n") ?? Number.NEGATIVE_INFINITY) > Number(limit);
}
