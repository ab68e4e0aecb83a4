import { type CallbackBody, type ExecutionOutcome, readCallback } from "../../bridge/index.ts";
import {
  type CallbackResult,
  type Execution,
  findNode,
  hasReported,
  isAttemptOpen,
  isExecutionOpen,
  type NodeState,
  type StreamInput,
} from "../../core/engine/index.ts";
import type { AttemptAddress } from "../../core/event/index.ts";
import { repairText } from "../../core/text/index.ts";
import type { AttemptReport } from "../../store/index.ts";
import { outputStrategyOf } from "../dispatch-request.ts";
import { isOfWorkers } from "./function-attempts.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { InputOutcome, ResolvedInput } from "./input-queue.ts";

/** Outcome of a callback. `discarded`: the attempt had already ended in another way, and only the cost was recorded. */
export type ReportOutcome = "received" | "deduplicated" | "discarded" | "unknown";

/** The sender of a report: a gateway for its own dispatches, a worker for functions, or a service with the ticket of one attempt. */
export type Reporter =
  | { readonly orgId: string; readonly gatewayId: string }
  | { readonly orgId: string; readonly isWorker: true }
  | { readonly orgId: string };

/** Decides, on the state before a callback, which input it becomes. `judged` receives the outcome. */
export function resolveCallback(
  reporter: Reporter,
  { nodeId, attempt, segment = 0 }: AttemptAddress,
  body: CallbackBody,
  at: number,
  judged: (outcome: ReportOutcome) => void,
  checked?: CallbackResult,
): (live: DrivenRun) => ResolvedInput {
  return (live) => {
    const node = reportedBy(live, reporter, nodeId, attempt);
    if (node === undefined) {
      judged("unknown");
      return { input: null };
    }
    const outcome = outcomeFor(live, node, { nodeId, attempt, segment }, body);
    judged(outcome);
    if (outcome === "deduplicated") return { input: null };
    const result = checked ?? readCallback(body, outputStrategyOf(live.state, nodeId));
    // A refused result is not stored anywhere, nor is anything reported with it.
    const isRefused = checked?.status === "completed" && checked.moderation !== undefined;
    if (isRefused) return { input: { type: "callback", nodeId, attempt, segment, result } };
    const report = outcome === "received" ? reportOfBody(node, attempt, body, at) : undefined;
    const input = { type: "callback", nodeId, attempt, segment, result } as const;
    return report === undefined ? { input } : { input, report };
  };
}

/** Returns an input with new chunks for a running attempt. Chunks for any other attempt are reported as discarded. */
export function resolveStream(
  reporter: Reporter,
  { nodeId, attempt }: AttemptAddress,
  deltas: StreamInput["deltas"],
  judged: (outcome: ReportOutcome) => void,
  isWithheld: (live: DrivenRun) => boolean,
): (live: DrivenRun) => ResolvedInput {
  return (live) => {
    const node = reportedBy(live, reporter, nodeId, attempt);
    judged(node === undefined ? "unknown" : isAttemptOpen(live.state, node, attempt) ? "received" : "discarded");
    return { input: node === undefined || isWithheld(live) ? null : { type: "stream", nodeId, attempt, deltas } };
  };
}

export type InputResolver = (judged: (outcome: ReportOutcome) => void) => (live: DrivenRun) => ResolvedInput;

/**
 * Submits an input until it was decided on the newest state. An input that changes nothing causes no commit that would detect
 * an old state, so the stored version is compared before such an outcome is returned.
 */
export async function submitUntilCurrent(
  resolverFor: InputResolver,
  push: (input: (live: DrivenRun) => ResolvedInput) => Promise<InputOutcome>,
  newestVersion: () => Promise<number>,
): Promise<ReportOutcome> {
  const done: ReportOutcome[] = [];
  const resolve = resolverFor((outcome) => done.push(outcome));
  let judgedOn = 0;
  for (let isFresh = false; ; isFresh = true) {
    const outcome = await push((live) => {
      judgedOn = live.run.rowVersion;
      return resolve(live);
    });
    if (outcome.kind === "failed") throw outcome.error;
    const last = outcome.kind === "unknown" ? "unknown" : (done.at(-1) ?? "unknown");
    const isCertain = last === "received" || isFresh || (outcome.kind === "committed" && outcome.isWritten);
    if (isCertain || judgedOn >= (await newestVersion())) return last;
  }
}

/** Returns the node if the reporter may report it. Runs of another organisation and dispatches of another gateway do not exist for it. */
export function reportedBy(
  live: DrivenRun,
  reporter: Reporter,
  nodeId: string,
  attempt: number,
): NodeState | undefined {
  if (live.run.orgId !== reporter.orgId) return undefined;
  const node = findNode(live.state, nodeId);
  const route = node?.routes[attempt - 1];
  if (node === undefined || route === undefined) return undefined;
  if ("isWorker" in reporter) return isOfWorkers(route) ? node : undefined;
  return !("gatewayId" in reporter) || route.gatewayId === reporter.gatewayId ? node : undefined;
}

function outcomeFor(
  { state }: DrivenRun,
  node: NodeState,
  execution: Execution,
  { status }: CallbackBody,
): ReportOutcome {
  if (isExecutionOpen(state, node, execution)) {
    const { now } = node;
    const isRepeated = status === "deferred" && "isDeferred" in now && now.isDeferred;
    return isRepeated ? "deduplicated" : "received";
  }
  const isFinal = status !== "deferred" && status !== "suspended";
  return hasReported(node, execution) || !isFinal ? "deduplicated" : "discarded";
}

function reportOfBody(node: NodeState, attempt: number, body: CallbackBody, at: number): AttemptReport | undefined {
  const { sessionId = null, messages = [], logs = [] } = body;
  return reportOf(
    { nodeId: node.id, attempt, agentId: node.routes[attempt - 1]?.agentId ?? null, at },
    sessionId,
    messages,
    logs,
  );
}

/** Builds the report of an attempt in this process. */
export function reportOfOutcome(
  { result, logs, completedAt }: ExecutionOutcome,
  { nodeId, attempt }: Pick<AttemptAddress, "nodeId" | "attempt">,
  agentId: string | null,
): AttemptReport | undefined {
  const reported = result.status === "completed" || result.status === "failed" ? result : {};
  const { sessionId = null, messages = [] } = reported as { sessionId?: string; messages?: AttemptReport["messages"] };
  const lines = logs.map((line) => ({ ...line, at: new Date(line.at).toISOString() }));
  return reportOf({ nodeId, attempt, agentId, at: completedAt }, sessionId, messages, lines);
}

function reportOf(
  about: Pick<AttemptReport, "nodeId" | "attempt" | "agentId" | "at">,
  sessionId: string | null,
  messages: AttemptReport["messages"],
  logs: readonly object[],
): AttemptReport | undefined {
  if (messages.length === 0 && logs.length === 0) return undefined;
  const repaired = repairText({ sessionId, messages: [...messages] }).value as Pick<
    AttemptReport,
    "sessionId" | "messages"
  >;
  // JSON escapes the characters that a text column rejects.
  return { ...about, ...repaired, logs: logs.map((line) => JSON.stringify(line)).join("\n") };
}
