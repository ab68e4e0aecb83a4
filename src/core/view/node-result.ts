import { required } from "../base/index.ts";
import type { NodeNow, NodeState, RunState } from "../engine/index.ts";
import { isSettled } from "../event/index.ts";
import type { NodeView } from "./run-view.ts";
import { isoFromEpochMs } from "./timestamp.ts";

/** One node of a projection. Times are ISO 8601, money is micro-dollars. */
export interface NodeResult extends Pick<
  NodeView,
  | "label"
  | "status"
  | "waitingReason"
  | "attempts"
  | "retries"
  | "durationMs"
  | "outputs"
  | "output"
  /** Error of a node that failed, waits for a retry, was tolerated or was cancelled. */
  | "errorCode"
  | "errorMessage"
  /** Whether the node failed and a handler has handled it, so that it no longer fails the run. */
  | "isHandled"
  | "costMicros"
> {
  readonly nodeId: string;
  readonly wave: number;
  /** Start of the first attempt. */
  readonly startedAt: string | null;
  /** Moment at which the node settled, with any status. */
  readonly completedAt: string | null;
}

export function resultOfView(node: NodeView): NodeResult {
  return {
    nodeId: node.id,
    label: node.label,
    wave: node.wave ?? 0,
    status: node.status,
    waitingReason: node.waitingReason,
    attempts: node.attempts,
    retries: node.retries,
    startedAt: isoOrNull(node.startedAt),
    completedAt: isoOrNull(node.completedAt),
    durationMs: node.durationMs,
    outputs: node.outputs,
    output: node.output,
    errorCode: node.errorCode,
    errorMessage: node.errorMessage,
    isHandled: node.isHandled,
    costMicros: node.costMicros,
  };
}

export function resultOfState(state: RunState, node: NodeState): NodeResult {
  const plan = required(state.plan.nodes[node.planIndex], "a node of the run has a plan node");
  const content = contentOf(node.now);
  return {
    nodeId: node.id,
    label: node.instance === null ? plan.label : `${plan.label}[${node.instance.element}]`,
    wave: plan.wave,
    status: node.now.status,
    waitingReason: content.waitingReason,
    attempts: node.attempts,
    retries: node.retries,
    startedAt: isoOrNull(node.firstStartedAt),
    completedAt: isoOrNull(settledAtOf(node.now)),
    durationMs: durationOf(node),
    outputs: content.outputs,
    output: content.output,
    errorCode: content.errorCode,
    errorMessage: content.errorMessage,
    isHandled: node.isHandled,
    costMicros: node.costMicros,
  };
}

type Content = Pick<NodeResult, "waitingReason" | "outputs" | "output" | "errorCode" | "errorMessage">;

const NO_CONTENT: Content = {
  waitingReason: null,
  outputs: null,
  output: null,
  errorCode: null,
  errorMessage: null,
};

function contentOf(now: NodeNow): Content {
  switch (now.status) {
    case "pending":
    case "invalidated":
      return NO_CONTENT;
    case "awaiting_dependency":
    case "queued":
      return { ...NO_CONTENT, waitingReason: now.waitingReason };
    case "running":
    case "streaming":
      return now.isDeferred ? { ...NO_CONTENT, waitingReason: "external_callback" } : NO_CONTENT;
    case "retrying":
    case "blocked": {
      const { waitingReason, errorCode, errorMessage } = now;
      return { ...NO_CONTENT, waitingReason, errorCode, errorMessage };
    }
    case "completed":
      return { ...NO_CONTENT, outputs: now.outputs, output: now.envelope.output };
    case "failed":
    case "timed_out":
      return { ...NO_CONTENT, errorCode: now.errorCode, errorMessage: now.errorMessage };
    case "skipped": {
      const waitingReason = now.reason === "condition_false" ? now.reason : null;
      const outputs = now.reason === "on_failure" || now.reason === "chosen" ? { _skipped: true } : null;
      return { ...NO_CONTENT, waitingReason, outputs, errorCode: now.errorCode, errorMessage: now.errorMessage };
    }
    case "cancelled":
      return { ...NO_CONTENT, errorCode: now.reason };
  }
}

function settledAtOf(now: NodeNow): number | null {
  return isSettledNow(now) ? now.settledAt : null;
}

function isSettledNow(now: NodeNow): now is Extract<NodeNow, { readonly settledAt: number }> {
  return isSettled(now.status);
}

function durationOf({ now, firstStartedAt }: NodeState): number | null {
  if (now.status === "completed") return now.durationMs;
  if (firstStartedAt === null || !isSettledNow(now)) return null;
  return now.settledAt - firstStartedAt;
}

function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoFromEpochMs(epochMs);
}
