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

/** What became of a callback. `discarded`: the attempt had ended otherwise; only its cost was taken. */
export type ReportOutcome = "received" | "deduplicated" | "discarded" | "unknown";

/** Who reports: a gateway about its own dispatches, a worker about functions, or a service that holds the ticket of one attempt. */
export type Reporter =
  | { readonly orgId: string; readonly gatewayId: string }
  | { readonly orgId: string; readonly isWorker: true }
  | { readonly orgId: string };

/** Decides, with the state before it, which input a callback is; `judged` receives what became of it. */
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
    // What was refused is kept nowhere, and neither is what came with it.
    const isRefused = checked?.status === "completed" && checked.moderation !== undefined;
    if (isRefused) return { input: { type: "callback", nodeId, attempt, segment, result } };
    const report = outcome === "received" ? reportOfBody(node, attempt, body, at) : undefined;
    const input = { type: "callback", nodeId, attempt, segment, result } as const;
    return report === undefined ? { input } : { input, report };
  };
}

/** New pieces of a running attempt; those of any other attempt are not. */
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
 * Submits an input until it was judged on the newest state. Nothing is committed for what changes nothing; so before
 * that is answered, the stored version is compared with the one it was judged on.
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

/** The node, if it is the reporter's: another organisation's run, or another gateway's dispatch, is not there. */
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

/** The same for an attempt of this process. */
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
  // JSON escapes what a column refuses.
  return { ...about, ...repaired, logs: logs.map((line) => JSON.stringify(line)).join("\n") };
}
