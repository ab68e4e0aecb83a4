import { isRun } from "../world/run.ts";
import type { Effect, Timer } from "../../../src/core/engine/index.ts";
import { isSettled, type RunEvent } from "../../../src/core/event/index.ts";
import { countOf, isHeldUp, type NodeFacts, type RunFacts } from "../world/facts.ts";
import { type Checker, type Surroundings, Violation } from "./checker.ts";
import { runsBlock } from "./sharing.ts";

/** E6. Every accepted run settles or names what it waits for. */
export function neverStuck(around: Surroundings): Checker {
  return {
    id: "E6",
    beforeEvent({ facts, event }): void {
      if (event.type === "run.failed" && event.payload.errorCode === "workflow_stalled") {
        throw new Violation("E6", facts.runId, "the run ended as stalled");
      }
    },
    afterCommit(facts): void {
      if (facts.hasEnded || facts.lastEventId === 0 || facts.place === "waiting" || isHeldUp(facts)) return;
      const alive = ["queued", "retrying", "running", "streaming", "blocked"] as const;
      if (alive.every((status) => countOf(facts, status) === 0) && !facts.isFinally && !waitsForChild(around, facts)) {
        throw new Violation("E6", facts.runId, "nothing is under way and the run has not ended");
      }
    },
    quiet(runs): void {
      // Whether one that waits for a place may still do so is for the checker of places to say.
      for (const { facts } of runs) if (!facts.hasEnded && facts.place !== "waiting") requireAtRest(around, facts);
    },
  };
}

/** A run may have nothing left of its own and still wait for a child run that was called off to drain. */
function waitsForChild(around: Surroundings, facts: RunFacts): boolean {
  return [...facts.children.values()].some(
    ({ childRunId, hasFinished }) => !hasFinished && around.runs.get(childRunId)?.isConsumed !== true,
  );
}

/** Nothing will happen any more: what is left waits for an event that never came, here or in a child run. */
function requireAtRest(around: Surroundings, facts: RunFacts): void {
  const fail = (message: string) => new Violation("E6", facts.runId, `the world is quiet, but ${message}`);
  const nodes = [...facts.nodes.values()];
  const waiting = nodes.filter((node) => isForEvent(node) || isForChild(around, facts, node));
  for (const node of nodes) {
    if (waiting.includes(node) || !isLeft(facts, node)) continue;
    throw fail(`${node.id} is ${node.status}`);
  }
  if (waiting.length === 0) throw fail("the run neither ended nor waits for an event");
  const open = [...facts.approvals.values()].find(({ status }) => status === "pending");
  if (open !== undefined) throw fail(`approval ${open.id} never expired`);
}

/** Without a time limit: any other would have passed. */
function isForEvent({ status, waitingReason, until }: NodeFacts): boolean {
  return status === "blocked" && waitingReason === "event" && until === null;
}

function isForChild(around: Surroundings, { children }: RunFacts, node: NodeFacts): boolean {
  if (!isRun(node.plan) || node.openAttempt === 0) return false;
  const own = [...children.values()].find(({ nodeId, attempt }) => nodeId === node.id && attempt === node.openAttempt);
  return around.runs.get(own?.childRunId ?? "")?.facts.hasEnded === false;
}

/** Neither settled nor kept by another that waits: a parent, an instance, or one that has its place in the run. */
function isLeft(facts: RunFacts, node: NodeFacts): boolean {
  const isOpen = (each: NodeFacts | undefined): boolean => each !== undefined && !isSettled(each.status);
  switch (node.status) {
    case "pending":
      return node.owner === null;
    case "awaiting_dependency":
      return !node.plan.parents.some((index) => isOpen(facts.nodes.get(facts.workflow.plan.nodes[index]?.id ?? "")));
    case "queued": {
      const held = [...facts.nodes.values()].filter((each) => each.openAttempt > 0 && !runsBlock(each)).length;
      return held < facts.workflow.plan.maxParallel;
    }
    case "running":
      return node.openAttempt > 0 || !node.instances.some(isOpen);
    case "invalidated":
      return false;
    default:
      return !isSettled(node.status);
  }
}

/** E6. Every waiting node has a timer, a person or an outstanding dispatch that will end the wait. */
export function waitsHaveWakeups(): Checker {
  const queueTimers = new Set<string>();
  return {
    id: "E6",
    beforeEvent({ facts, node, event }): void {
      if (node === undefined || event.type === "node.waiting") return;
      if (event.type.startsWith("node.") && event.type !== "node.log" && event.type !== "node.provenance") {
        if (node.status === "queued") queueTimers.delete(`${facts.runId}/${node.id}`);
      }
    },
    afterTurn(facts, turn): void {
      if (turn.events.length === 0) return;
      const timers = turn.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect] : []));
      for (const { timer } of timers) if (timer.kind === "queue") queueTimers.add(`${facts.runId}/${timer.nodeId}`);
      for (const event of turn.events) requireWakeup(facts, event, timers, turn.effects, queueTimers);
    },
  };
}

type SetTimer = Extract<Effect, { readonly type: "set-timer" }>;

function requireWakeup(
  facts: RunFacts,
  event: RunEvent,
  timers: readonly SetTimer[],
  effects: readonly Effect[],
  queueTimers: ReadonlySet<string>,
): void {
  const fail = (message: string) =>
    new Violation("E6", facts.runId, `event ${event.eventId} ${event.type}: ${message}`);
  const hasTimer = (dueAt: number, fits: (timer: Timer) => boolean) =>
    timers.some((each) => each.dueAt === dueAt && fits(each.timer));
  const node = "nodeId" in event.payload ? facts.nodes.get(event.payload.nodeId) : undefined;
  switch (event.type) {
    case "run.started":
    case "run.rewound":
    case "run.status.changed": {
      const { timeoutMs } = facts.workflow.plan;
      const isOpening =
        event.type !== "run.status.changed" || (event.payload.to === "running" && event.payload.from !== "queued");
      if (timeoutMs === null || !isOpening || facts.hasEnded) return;
      if (!hasTimer(event.at + timeoutMs, ({ kind }) => kind === "run")) throw fail("no timer for the run's timeout");
      return;
    }
    case "node.retried":
      if (node?.status !== "retrying") return;
      if (!hasTimer(event.payload.until, ({ kind }) => kind === "retry")) throw fail("no timer ends the backoff");
      return;
    case "node.blocked": {
      const { until, waitingReason } = event.payload;
      if (node?.status !== "blocked" || node.blockedBy !== event.eventId || waitingReason === "human_input") return;
      if (until === undefined && waitingReason === "timer") throw fail("it waits for no moment");
      const isIt = (timer: Timer) =>
        (timer.kind === "wait" && timer.nodeId === node.id) ||
        (timer.kind === "round" && `${timer.nodeId}[${timer.round}]` === node.id);
      if (until !== undefined && !hasTimer(until, isIt)) throw fail("no timer ends the wait");
      return;
    }
    case "node.started":
      return requireAttemptEnds(event, node, hasTimer, effects, fail);
    case "node.waiting":
      if (node?.status !== "queued" || event.payload.waitingReason === "dependency") return;
      if (!queueTimers.has(`${facts.runId}/${node.id}`)) throw fail("no timer ends the wait for a slot");
      return;
    case "approval.requested": {
      const { approvalId, expiresAt } = event.payload;
      const isOpened = effects.some((effect) => effect.type === "open-approval" && effect.approvalId === approvalId);
      if (!isOpened) throw fail("no person is asked");
      const isIt = (timer: Timer) => timer.kind === "approval-expiry" && timer.approvalId === approvalId;
      if (!hasTimer(expiresAt, isIt)) throw fail("no timer ends the approval");
      return;
    }
    default:
  }
}

function requireAttemptEnds(
  event: Extract<RunEvent, { readonly type: "node.started" }>,
  node: NodeFacts | undefined,
  hasTimer: (dueAt: number, fits: (timer: Timer) => boolean) => boolean,
  effects: readonly Effect[],
  fail: (message: string) => Violation,
): void {
  const { nodeId, attempt } = event.payload;
  if (node === undefined) throw fail("of an unknown node");
  const isSent = effects.some(
    (effect) =>
      (effect.type === "dispatch" || effect.type === "start-child") &&
      effect.nodeId === nodeId &&
      effect.attempt === attempt,
  );
  if (!isSent) throw fail("neither dispatched nor given to a child run");
  const { timeoutMs } = node.plan;
  const isIt = (timer: Timer) => timer.kind === "attempt" && timer.nodeId === nodeId && timer.attempt === attempt;
  // Of a turn that is continued, only the time counts in which it ran.
  const leftMs = timeoutMs === null || node.ranMs === 0 ? timeoutMs : Math.max(1, timeoutMs - node.ranMs);
  if (leftMs !== null && !hasTimer(event.at + leftMs, isIt)) throw fail("no timer for the attempt's timeout");
}
