import { type CallbackBody, type Outcome as BridgeOutcome, readCallback } from "../../bridge/index.ts";
import { type CallbackResult, findNode, type NodeState, type StreamInput } from "../../core/engine/index.ts";
import { repairText } from "../../core/text/index.ts";
import type { AttemptReport } from "../../store/index.ts";
import { outputStrategyOf } from "../dispatch-request.ts";
import type { LiveRun } from "./live-run.ts";
import type { Outcome, ResolvedInput } from "./run-queue.ts";

/** What became of a callback. `discarded`: the attempt had ended otherwise; only its cost was taken. */
export type ReportOutcome = "received" | "deduplicated" | "discarded" | "unknown";

/** Who reports: a gateway about its own dispatches, or whoever holds the ticket of one attempt. */
export type Reporter = { readonly orgId: string; readonly gatewayId: string } | { readonly orgId: string };

export interface AttemptAddress {
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
}

/** A dispatch id is run/node/attempt; run ids hold no slash. Undefined: nothing was ever dispatched by such an id. */
export function readDispatchId(dispatchId: string): AttemptAddress | undefined {
  const first = dispatchId.indexOf("/");
  const last = dispatchId.lastIndexOf("/");
  const attempt = dispatchId.slice(last + 1);
  if (first < 1 || last <= first + 1 || !/^[1-9]\d{0,8}$/.test(attempt)) return undefined;
  return { runId: dispatchId.slice(0, first), nodeId: dispatchId.slice(first + 1, last), attempt: Number(attempt) };
}

/** Decides, with the state before it, what a callback tells the run; `judged` hears what became of it. */
export function resolveCallback(
  reporter: Reporter,
  { nodeId, attempt }: AttemptAddress,
  body: CallbackBody,
  at: number,
  judged: (outcome: ReportOutcome) => void,
  checked?: CallbackResult,
): (live: LiveRun) => ResolvedInput {
  return (live) => {
    const node = ownNode(live, reporter, nodeId, attempt);
    if (node === undefined) {
      judged("unknown");
      return { input: null };
    }
    const outcome = outcomeFor(node, attempt, body);
    judged(outcome);
    if (outcome === "deduplicated") return { input: null };
    const result = checked ?? readCallback(body, outputStrategyOf(live.state, nodeId));
    // What was refused is kept nowhere, and neither is what was said around it.
    const isRefused = checked?.status === "completed" && checked.moderation !== undefined;
    if (isRefused) return { input: { type: "callback", nodeId, attempt, result } };
    const report = outcome === "received" ? reportOfBody(node, attempt, body, at) : undefined;
    const input = { type: "callback", nodeId, attempt, result } as const;
    return report === undefined ? { input } : { input, report };
  };
}

/** New pieces of a running attempt; those of any other are nobody's. */
export function resolveStream(
  reporter: Reporter,
  { nodeId, attempt }: AttemptAddress,
  deltas: StreamInput["deltas"],
  judged: (outcome: ReportOutcome) => void,
  isWithheld: (live: LiveRun) => boolean,
): (live: LiveRun) => ResolvedInput {
  return (live) => {
    const node = ownNode(live, reporter, nodeId, attempt);
    judged(node === undefined ? "unknown" : isOpen(node, attempt) ? "received" : "discarded");
    return { input: node === undefined || isWithheld(live) ? null : { type: "stream", nodeId, attempt, deltas } };
  };
}

export type InputResolver = (judged: (outcome: ReportOutcome) => void) => (live: LiveRun) => ResolvedInput;

/**
 * Nothing is committed for what changes nothing; so before that is said, the state it was judged on is seen to be the
 * newest. What is in memory by then may be newer already, because others asked meanwhile.
 */
export async function submitUntilCurrent(
  resolverFor: InputResolver,
  push: (input: (live: LiveRun) => ResolvedInput) => Promise<Outcome>,
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

/** Another organisation's run, or another gateway's dispatch, is not there. */
function ownNode(live: LiveRun, reporter: Reporter, nodeId: string, attempt: number): NodeState | undefined {
  if (live.run.orgId !== reporter.orgId) return undefined;
  const node = findNode(live.state, nodeId);
  const route = node?.routes[attempt - 1];
  if (node === undefined || route === undefined) return undefined;
  return !("gatewayId" in reporter) || route.gatewayId === reporter.gatewayId ? node : undefined;
}

function outcomeFor(node: NodeState, attempt: number, { status }: CallbackBody): ReportOutcome {
  if (isOpen(node, attempt)) {
    const { now } = node;
    const isRepeated = status === "deferred" && "isDeferred" in now && now.isDeferred;
    return isRepeated ? "deduplicated" : "received";
  }
  return node.reported.has(attempt) || status === "deferred" ? "deduplicated" : "discarded";
}

export function isOpen({ now }: NodeState, attempt: number): boolean {
  return (now.status === "running" || now.status === "streaming") && now.attempt === attempt;
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
  { result, logs, completedAt }: BridgeOutcome,
  { nodeId, attempt }: Pick<AttemptAddress, "nodeId" | "attempt">,
  agentId: string | null,
): AttemptReport | undefined {
  const said = result.status === "deferred" ? {} : result;
  const { sessionId = null, messages = [] } = said as { sessionId?: string; messages?: AttemptReport["messages"] };
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
