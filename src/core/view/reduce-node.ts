import {
  type EventOf,
  type EventType,
  isSettled,
  type RunEvent,
  settledStatusOf,
  type SettlingEvent,
} from "../event/index.ts";
import { newNode, CLEARED_STATUS_FIELDS, type NodeView, type RunView } from "./run-view.ts";
import { isUpstreamFailure } from "./upstream-failure.ts";

type NodeEvent = Exclude<RunEvent, { readonly type: `run.${string}` | `approval.${string}` }>;

export function reduceNode(view: RunView, event: NodeEvent): void {
  const { nodeId } = event.payload;
  const known = view.nodes.get(nodeId);
  const instance = known === undefined ? instanceOf(nodeId) : null;
  if (instance !== null && event.type === "node.completed") {
    // Only a result carried over from another run can refer to an instance before its node has expanded.
    const { outputs, envelope } = event.payload;
    view.carriedInstances.set(nodeId, { outputs, output: envelope.output });
    return;
  }
  // Carried events in the turn of an instance are ignored until the instance exists.
  if (instance !== null && "carried" in event.payload) return;
  if (known === undefined && event.type === "cost.recorded") {
    // The `finally` block is not a node, but has a cost.
    view.costMicros += event.payload.costMicros;
    return;
  }
  const node = known ?? addNode(view, newNode(nodeId, nodeId, null, instance));
  const next = follow(view, node, event);
  if (next !== node) put(view, node, next);
}

/** Only `node.invalidated` changes the status of a settled node. Other late events change only its sums. */
function follow(view: RunView, node: NodeView, event: NodeEvent): NodeView {
  switch (event.type) {
    case "cost.recorded":
      view.costMicros += event.payload.costMicros;
      return spend(node, event);
    case "node.handled":
      return { ...node, isHandled: true };
    case "node.invalidated":
      return { ...node, ...CLEARED_STATUS_FIELDS, status: "invalidated" };
    case "node.completed":
    case "node.failed":
    case "node.timed_out":
    case "node.skipped":
    case "node.cancelled":
      return isSettled(node.status) ? node : settle(node, event);
    case "node.queued":
    case "node.waiting":
    case "node.expanded":
    case "node.round":
    case "node.started":
    case "node.stream.delta":
    case "node.retried":
    case "node.blocked":
    case "child.started":
      return isSettled(node.status) ? node : move(view, node, event);
    case "event.received":
    case "event.emitted":
    case "node.log":
    case "node.provenance":
    case "gate.decided":
    case "moderation.flagged":
    case "contract.violated":
    case "child.finished":
    case "round.completed":
    case "tool.requested":
    case "tool.decided":
    case "tool.completed":
      return node;
  }
}

type MovingEvent = EventOf<
  Extract<
    EventType,
    | "node.queued"
    | "node.waiting"
    | "node.expanded"
    | "node.round"
    | "node.started"
    | "node.stream.delta"
    | "node.retried"
    | "node.blocked"
    | "child.started"
  >
>;

function move(view: RunView, node: NodeView, event: MovingEvent): NodeView {
  switch (event.type) {
    case "node.queued":
      return { ...node, ...CLEARED_STATUS_FIELDS, status: "queued", waitingReason: event.payload.waitingReason };
    case "node.waiting":
      return wait(node, event);
    case "node.expanded":
      return expand(view, node, event);
    case "node.round":
      addRound(view, node, event);
      return node;
    case "node.started":
      return start(node, event);
    case "node.stream.delta":
      return stream(node, event);
    case "node.retried":
      return retry(node, event);
    case "node.blocked":
      return block(node, event);
    case "child.started":
      return node.status === "running" ? { ...node, childRunId: event.payload.childRunId } : node;
  }
}

function wait(node: NodeView, { payload }: EventOf<"node.waiting">): NodeView {
  if (node.status === "running" || node.status === "streaming") return { ...node, waitingReason: "external_callback" };
  if (node.status === "queued") return { ...node, waitingReason: payload.waitingReason };
  return { ...node, ...CLEARED_STATUS_FIELDS, status: "awaiting_dependency", waitingReason: reasonOf(payload) };
}

/** Before its start, a node waits for other nodes, or for a place of its run. */
function reasonOf({ waitingReason }: EventOf<"node.waiting">["payload"]): NodeView["waitingReason"] {
  return waitingReason === "concurrency" ? waitingReason : "dependency";
}

function start(node: NodeView, { payload, at }: EventOf<"node.started">): NodeView {
  return {
    ...node,
    ...CLEARED_STATUS_FIELDS,
    status: "running",
    wave: node.wave ?? payload.wave,
    attempts: payload.attempt ?? 0,
    startedAt: node.startedAt ?? at,
    agentId: payload.agentId,
    model: payload.model,
    childRunId: null,
    streamedText: "",
    streamedMedia: [],
  };
}

function stream(node: NodeView, { payload }: EventOf<"node.stream.delta">): NodeView {
  if (payload.deltaIndex <= node.deltaIndex) return node;
  return {
    ...node,
    status: node.status === "running" ? "streaming" : node.status,
    deltaIndex: payload.deltaIndex,
    streamedText: node.streamedText + (payload.text ?? ""),
    streamedMedia: payload.media === undefined ? node.streamedMedia : [...node.streamedMedia, payload.media],
  };
}

function retry(node: NodeView, { payload }: EventOf<"node.retried">): NodeView {
  return {
    ...node,
    ...CLEARED_STATUS_FIELDS,
    status: "retrying",
    waitingReason: payload.cause === "rate_limit" ? "rate_limit" : "retry_backoff",
    retries: node.retries + 1,
    errorCode: payload.errorCode,
    errorMessage: payload.errorMessage,
  };
}

function block(node: NodeView, { payload }: EventOf<"node.blocked">): NodeView {
  return {
    ...node,
    ...CLEARED_STATUS_FIELDS,
    status: "blocked",
    waitingReason: payload.waitingReason,
    approvalId: payload.approvalId ?? null,
    missing: payload.missing ?? [],
    errorCode: payload.errorCode ?? null,
    errorMessage: payload.errorMessage ?? null,
  };
}

/** The model that the adapter reports takes precedence. */
function spend(node: NodeView, { payload: { costMicros, model } }: EventOf<"cost.recorded">): NodeView {
  return { ...node, costMicros: node.costMicros + costMicros, model: typeof model === "string" ? model : node.model };
}

/** Completed instances stay, carried ones are completed at once, and all others start over. */
function expand(view: RunView, node: NodeView, { payload, at }: EventOf<"node.expanded">): NodeView {
  payload.instanceIds.forEach((id, element) => {
    const instance =
      view.nodes.get(id) ??
      addNode(view, newNode(id, `${node.label}[${element}]`, node.wave, { parent: node.id, element }));
    if (instance.status === "completed") return;
    const carried = view.carriedInstances.get(id);
    view.carriedInstances.delete(id);
    const fresh = { ...instance, ...CLEARED_STATUS_FIELDS, status: "pending" } as const;
    put(
      view,
      instance,
      carried === undefined
        ? fresh
        : { ...fresh, ...carried, status: "completed", completedAt: at, durationMs: 0, isCarried: true },
    );
  });
  return {
    ...node,
    ...CLEARED_STATUS_FIELDS,
    status: "running",
    isExpanded: true,
    ...(payload.isRepeated === true ? { isRepeated: true } : {}),
    failedInstances: 0,
    startedAt: node.startedAt ?? at,
  };
}

/** Adds the instance of a round. An existing instance starts over. */
function addRound(view: RunView, node: NodeView, { payload }: EventOf<"node.round">): void {
  const { instanceId: id, round: element } = payload;
  const known = view.nodes.get(id);
  if (known === undefined)
    addNode(view, newNode(id, `${node.label}[${element}]`, node.wave, { parent: node.id, element }));
  else put(view, known, { ...known, ...CLEARED_STATUS_FIELDS, status: "pending" });
}

function settle(node: NodeView, event: SettlingEvent): NodeView {
  const settled = {
    ...node,
    ...CLEARED_STATUS_FIELDS,
    completedAt: event.at,
    durationMs: node.startedAt === null ? null : event.at - node.startedAt,
  };
  switch (event.type) {
    case "node.completed": {
      const { outputs, envelope, durationMs, carried = false } = event.payload;
      return { ...settled, status: "completed", outputs, output: envelope.output, durationMs, isCarried: carried };
    }
    case "node.failed":
    case "node.timed_out": {
      const { errorCode, errorMessage } = event.payload;
      return { ...settled, status: settledStatusOf(event.type), errorCode, errorMessage };
    }
    case "node.skipped": {
      const { reason, errorCode = null, errorMessage = null, carried: isCarried = false } = event.payload;
      const waitingReason = reason === "condition_false" ? reason : null;
      const outputs = reason === "on_failure" || reason === "chosen" ? { _skipped: true } : null;
      return { ...settled, status: "skipped", waitingReason, outputs, errorCode, errorMessage, isCarried };
    }
    case "node.cancelled":
      return { ...settled, status: "cancelled", errorCode: event.payload.reason };
  }
}

const INSTANCE_ID = /^(.+)\[(\d+)\]$/s;

function instanceOf(id: string): NodeView["instance"] {
  const match = INSTANCE_ID.exec(id);
  return match === null ? null : { parent: match[1] ?? "", element: Number(match[2]) };
}

function addNode(view: RunView, node: NodeView): NodeView {
  view.nodes.set(node.id, node);
  view.counts[node.status] += 1;
  return node;
}

function put(view: RunView, before: NodeView, after: NodeView): void {
  view.nodes.set(after.id, after);
  if (before.status === after.status) return;
  view.upstreamFailures += Number(isUpstreamFailure(after)) - Number(isUpstreamFailure(before));
  view.counts[before.status] -= 1;
  view.counts[after.status] += 1;
  countFailedInstance(view, before, after);
}

function countFailedInstance(view: RunView, before: NodeView, { instance, status }: NodeView): void {
  const change = Number(isFailure(status)) - Number(isFailure(before.status));
  const parent = instance === null || change === 0 ? undefined : view.nodes.get(instance.parent);
  if (parent === undefined) return;
  view.nodes.set(parent.id, { ...parent, failedInstances: parent.failedInstances + change });
}

function isFailure(status: NodeView["status"]): boolean {
  return status === "failed" || status === "timed_out";
}
