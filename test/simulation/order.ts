import { isRun } from "./world/run.ts";
import { canonicalJson, type Json } from "../../src/core/base/index.ts";
import { Violation } from "./checkers/index.ts";
import type { Engine } from "./engine.ts";
import { ORDERLY } from "./profile.ts";
import { playSchedule } from "./schedule.ts";
import type { SimRun } from "./world/run.ts";

export type Comparison = "same" | "not_comparable" | Violation;

/**
 * E8. Any order of independent callbacks gives the same outcome where no halt, cancel or limit intervenes: one file is
 * played with the same answers of adapters and people at other moments, and every node must end alike.
 */
export function compareOrders(seed: number, orders: number, engine?: Engine): Comparison {
  let first: string | null = null;
  for (let order = 0; order < orders; order += 1) {
    const orderSeed = seed * 97 + order;
    // What an agent is asked and answered in its turn depends on when.
    const given = { profile: ORDERLY, orderSeed, checkers: [], probes: [], hasTurns: false };
    const { runs, violation } = playSchedule(seed, engine === undefined ? given : { ...given, engine });
    if (violation !== null) return violation;
    if (runs.some(wasCutShort)) return "not_comparable";
    // Ids of child runs, and of what they emit, count events: they differ by the order.
    const outcome = canonicalJson(runs.map(describeOutcome).sort(byPath)).replaceAll(/run_\d+(?:_\d+)+/g, "run");
    first ??= outcome;
    if (outcome !== first) return new Violation("E8", "run_1", `order ${order} ends otherwise:\n${first}\n${outcome}`);
  }
  return "same";
}

/** A halt, a run timeout, a stopped `for_each`, a join, a place, a late child run, a wait for an event: what happens first then matters, and is meant to. */
function wasCutShort({ log, facts }: SimRun): boolean {
  const { nodes, concurrency } = facts.workflow.plan;
  if (concurrency !== null || nodes.some(({ join }) => join !== null)) return true;
  const isWoundDown = log.some(
    ({ type, payload }) =>
      type === "run.ending" ||
      (type === "node.blocked" && payload.event !== undefined) ||
      (type === "node.cancelled" && payload.reason === "cancelled_by_sibling"),
  );
  // Also where it was tried again, or passed over.
  const isChildLate = log.some(({ payload }) => {
    const node = "nodeId" in payload && payload.nodeId !== undefined ? facts.nodes.get(payload.nodeId) : undefined;
    return node !== undefined && isRun(node.plan) && "errorCode" in payload && payload.errorCode === "timeout";
  });
  return isWoundDown || isChildLate;
}

function describeOutcome({ facts, path }: SimRun): { [key: string]: Json } & { path: string } {
  const nodes = [...facts.nodes.values()].map((node) => ({
    id: node.id,
    status: node.status,
    attempts: node.attempts,
    outputs: node.status === "completed" ? node.outputs : null,
    errorCode: node.status === "failed" || node.status === "timed_out" ? node.errorCode : null,
    costMicros: node.costMicros,
  }));
  nodes.sort((left, right) => (left.id < right.id ? -1 : 1));
  return { path, status: facts.status, costMicros: facts.costMicros, nodes };
}

function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path < right.path ? -1 : 1;
}
