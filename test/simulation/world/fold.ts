import { type EventOf, isSettled, type RunEvent, type RunStatus } from "../../../src/core/event/index.ts";
import { addNode, type ChildFacts, moveNode, type NodeFacts, type RunFacts, takenBy } from "./facts.ts";
import { statusAfter } from "./status-after.ts";
import { foldTurn } from "./turn-facts.ts";

export function nodeOf(run: RunFacts, event: RunEvent): NodeFacts | undefined {
  return "nodeId" in event.payload ? run.nodes.get(event.payload.nodeId) : undefined;
}

/** This fold is written from the published table of statuses and shares no code with the engine's, so that each can prove the other wrong. */
export function foldFact(run: RunFacts, event: RunEvent): void {
  run.lastEventId = event.eventId;
  if (event.type === "run.started") {
    run.status = "running";
    run.args = event.payload.args;
    run.place = event.payload.place?.standing ?? null;
    return;
  }
  if (event.type.startsWith("run.")) return foldRun(run, event);
  if (event.type.startsWith("approval.")) return foldApproval(run, event);
  if (event.type === "cost.recorded") foldCost(run, event.payload);
  const node = nodeOf(run, event);
  if (node !== undefined) foldNode(run, node, event);
  else if (event.type === "node.completed") run.carriedAhead.set(event.payload.nodeId, event);
}

function foldCost(run: RunFacts, { costMicros, childRunId }: EventOf<"cost.recorded">["payload"]): void {
  run.costMicros += costMicros;
  const child = childRunId === undefined ? undefined : run.children.get(childRunId);
  if (child !== undefined) child.costMicros += costMicros;
}

function foldRun(run: RunFacts, event: RunEvent): void {
  if (event.type === "run.finally") {
    const { childRunId } = event.payload;
    run.children.set(childRunId, childOf(run.epoch, childRunId, "finally", 1));
    run.isFinally = true;
    return;
  }
  if (event.type === "run.finally.ended") {
    run.isFinally = false;
    const child = run.children.get(event.payload.childRunId);
    if (child !== undefined) child.hasFinished = true;
  }
  switch (event.type) {
    case "run.ending":
      run.ending = event.payload.as;
      return;
    case "run.status.changed":
      // Only a run that has ended is opened by it; the others have events of their own for what happened.
      if (run.hasEnded) reopen(run, event.payload.epoch);
      if (run.place === "waiting" && event.payload.to === "running") run.place = "held";
      return;
    case "run.paused":
      run.pauses.add(event.payload.isWithParent === true ? "parent" : "run");
      return;
    case "run.resumed":
      run.pauses.delete(event.payload.isWithParent === true ? "parent" : "run");
      return;
    case "run.rewound":
      return reopen(run, event.payload.epoch);
    case "run.completed":
    case "run.failed":
    case "run.cancelled":
    case "run.timed_out":
      run.status = event.type.slice("run.".length) as RunStatus;
      run.hasEnded = true;
      run.ending = null;
      run.pauses.clear();
      return;
    default:
  }
}

function reopen(run: RunFacts, epoch: number): void {
  run.status = "running";
  run.epoch = epoch;
  run.hasEnded = false;
  run.isFinally = false;
  run.ending = null;
}

function foldApproval(run: RunFacts, event: RunEvent): void {
  if (event.type === "approval.requested") {
    const { approvalId: id, nodeId, source } = event.payload;
    run.approvals.set(id, { id, nodeId, source, status: "pending" });
  } else if (event.type === "approval.resolved") {
    const approval = run.approvals.get(event.payload.approvalId);
    if (approval !== undefined) approval.status = event.payload.status;
  }
}

function foldNode(run: RunFacts, node: NodeFacts, event: RunEvent): void {
  const status = statusAfter(event, node.status);
  if (status !== null) {
    moveNode(run, node, status);
    if (status !== "running" && status !== "streaming") node.openAttempt = 0;
    if (isSettled(status)) node.settledEventId = event.eventId;
    node.waitingReason = null;
    node.isDeferred = false;
  }
  foldDetails(run, node, event);
  foldTurn(node, event);
}

function foldDetails(run: RunFacts, node: NodeFacts, event: RunEvent): void {
  switch (event.type) {
    case "node.queued":
      beginEpoch(run, node);
      node.waitingReason = event.payload.waitingReason;
      node.counted = event.payload.counted ?? node.counted;
      return;
    case "node.handled":
      node.isHandled = true;
      return;
    case "node.invalidated":
      node.counted = null;
      node.isHandled = false;
      return;
    case "event.received":
      node.taken.add(event.payload.id);
      takenBy(node).add(event.payload.id);
      node.tries += 1;
      return;
    case "node.blocked":
      node.awaited = event.payload.event ?? null;
      node.until = event.payload.until ?? null;
      node.blockedBy = event.eventId;
      node.blockedAt = event.at;
      node.waitingReason = event.payload.waitingReason;
      return;
    case "node.waiting":
      node.waitingReason = event.payload.waitingReason;
      node.isDeferred = event.payload.waitingReason === "external_callback";
      return;
    case "node.retried":
      node.waitingReason = event.payload.cause === "rate_limit" ? "rate_limit" : "retry_backoff";
      return;
    case "node.round":
      node.instances.push(renewed(run, event.payload.instanceId, node));
      return;
    case "node.expanded":
      return foldExpanded(run, node, event.payload.instanceIds);
    case "node.started":
      node.openAttempt = event.payload.attempt ?? 0;
      node.attempts = node.openAttempt;
      if (event.payload.segment === undefined) node.tries += 1;
      node.agentId = event.payload.agentId;
      return;
    case "node.stream.delta":
      node.deltaIndex = event.payload.deltaIndex;
      return;
    case "node.completed":
      node.outputs = event.payload.outputs;
      node.text = event.payload.envelope.output;
      node.isCarried = event.payload.carried ?? false;
      node.counted = event.payload.counted ?? node.counted;
      return;
    case "node.skipped":
      node.skipReason = event.payload.reason;
      node.counted = event.payload.counted ?? node.counted;
      node.isCarried = event.payload.carried ?? false;
      return;
    case "node.failed":
    case "node.timed_out":
      node.errorCode = event.payload.errorCode;
      return;
    case "child.started":
      run.children.set(event.payload.childRunId, childOf(node.epoch, event.payload.childRunId, node.id, node.attempts));
      return;
    case "child.finished": {
      const child = run.children.get(event.payload.childRunId);
      if (child === undefined) return;
      child.hasFinished = true;
      child.isGivenUp = child.attempt !== node.attempts;
      return;
    }
    case "cost.recorded":
      node.costMicros += event.payload.costMicros;
      return;
    default:
  }
}

function childOf(epoch: number, childRunId: string, nodeId: string, attempt: number): ChildFacts {
  return { childRunId, nodeId, attempt, costMicros: 0, hasFinished: false, isGivenUp: false, epoch };
}

function beginEpoch(run: RunFacts, node: NodeFacts): void {
  if (node.epoch === run.epoch) return;
  node.epoch = run.epoch;
  node.tries = 0;
  node.taken.clear();
  node.agentId = null;
  node.turn = null;
}

function foldExpanded(run: RunFacts, node: NodeFacts, instanceIds: readonly string[]): void {
  beginEpoch(run, node);
  node.instances.length = 0;
  for (const id of instanceIds) {
    const instance = renewed(run, id, node);
    node.instances.push(instance);
    const isKept = node.plan.repeat !== null && isSettled(instance.status);
    if (isKept) for (const taken of instance.taken) node.taken.add(taken);
    const carried = run.carriedAhead.get(id);
    if (carried !== undefined) foldNode(run, instance, carried);
    run.carriedAhead.delete(id);
  }
}

/** An instance that is new, or begins anew; one that has settled stays. */
function renewed(run: RunFacts, id: string, node: NodeFacts): NodeFacts {
  const known = run.nodes.get(id);
  if (known !== undefined && !isSettled(known.status)) moveNode(run, known, "pending");
  return known ?? addNode(run, id, node.plan, node);
}
