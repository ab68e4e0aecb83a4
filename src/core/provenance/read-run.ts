import {
  attemptKey,
  endStatusOf,
  type EventOf,
  type EventPayload,
  type NodeStatus,
  type RunEvent,
} from "../event/index.ts";
import { argOriginsOf, type RunLog } from "./log.ts";
import {
  type Attempt,
  type Input,
  isUsed,
  type NodeHistory,
  type Result,
  type RunEnd,
  type RunHistory,
  type Start,
  type Use,
} from "./run-history.ts";

/** Reads a log in one pass. */
export function readRun(log: RunLog): RunHistory {
  const reader = new RunReader(log);
  for (const event of log.events) reader.take(event);
  return reader.history();
}

type NodeEvent = Exclude<RunEvent, { readonly type: `run.${string}` }>;

class RunReader {
  readonly #log: RunLog;
  readonly #nodes = new Map<string, { readonly nodeId: string; readonly histories: NodeHistory[] }>();
  readonly #attempts = new Map<string, Attempt>();
  readonly #callers = new Map<string, NodeHistory>();
  readonly #asked = new Map<string, EventPayload<"tool.requested">>();
  #start: Start | null = null;
  #end: RunEnd | null = null;
  #workflow: string;

  constructor(log: RunLog) {
    this.#log = log;
    this.#workflow = log.workflow;
  }

  history(): RunHistory {
    const { runId, policies = new Map() } = this.#log;
    const uses = new Map<string, Use[]>();
    for (const { histories } of this.#nodes.values()) {
      for (const history of histories.filter(isUsed)) noteUses(uses, history);
    }
    const [workflow, start, end] = [this.#workflow, this.#start, this.#end];
    return { runId, workflow, policies, nodes: this.#nodes, uses, callers: this.#callers, start, end };
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case "run.started":
        this.#workflow = event.payload.workflow;
        this.#start = startOf(event);
        return;
      case "run.completed":
      case "run.failed":
      case "run.cancelled":
      case "run.timed_out":
        this.#end = { at: event.at, status: endStatusOf(event.type), errorCode: event.payload.errorCode ?? null };
        return;
      case "run.status.changed":
        if (event.payload.to === "running") this.#end = null;
        return;
      case "run.ending":
      case "run.finally":
      case "run.finally.ended":
      case "run.paused":
      case "run.resumed":
      case "run.rewound":
      case "run.recovered":
        return;
      default:
        this.#takeOfNode(this.#historyOf(event.payload.nodeId), event);
    }
  }

  #historyOf(nodeId: string): NodeHistory {
    const node = this.#nodes.get(nodeId) ?? { nodeId, histories: [] };
    this.#nodes.set(nodeId, node);
    const last = node.histories.at(-1);
    if (last !== undefined && last.invalidatedAt === null) return last;
    const history = beginHistory(nodeId);
    node.histories.push(history);
    return history;
  }

  #takeOfNode(history: NodeHistory, event: NodeEvent): void {
    switch (event.type) {
      case "node.provenance":
        history.inputs.push(inputOf(event));
        return;
      case "node.expanded":
        if (event.payload.isRepeated === true) history.isRepeated = true;
        else history.instanceIds = event.payload.instanceIds;
        return;
      case "node.started":
        this.#begin(history, event);
        return;
      case "node.invalidated":
        history.invalidatedAt = event.at;
        return;
      case "approval.requested":
      case "approval.resolved":
        takeApproval(history, event);
        return;
      case "child.started":
        this.#callers.set(event.payload.childRunId, history);
        this.#change(event.payload, { childRunId: event.payload.childRunId });
        return;
      case "tool.requested":
        this.#asked.set(event.payload.callId, event.payload);
        return;
      case "tool.completed":
        this.#call(history, event);
        return;
      case "cost.recorded":
        this.#pay(event.payload);
        return;
      case "node.completed":
        history.result = resultOf(event);
        this.#finish(event, "completed");
        return;
      case "node.failed":
      case "node.timed_out":
      case "node.retried":
        this.#finish(event, event.type === "node.timed_out" ? "timed_out" : "failed", event.payload.errorCode);
        return;
      case "node.blocked":
        if (event.payload.errorCode !== undefined) this.#finish(event, "failed", event.payload.errorCode);
        return;
      case "node.cancelled":
        this.#finish(event, "cancelled", event.payload.reason);
        return;
      case "node.skipped":
        this.#finish(event, "skipped", event.payload.errorCode ?? event.payload.reason);
        return;
      default:
    }
  }

  #call(history: NodeHistory, { at, payload }: EventOf<"tool.completed">): void {
    const { callId, durationMs, isError, by = null, carried: isCarried = false, attempt = null } = payload;
    const asked = this.#asked.get(callId);
    if (asked === undefined) return;
    const { tool, server = null, round } = asked;
    const when = { startedAt: at - Math.round(durationMs), endedAt: at };
    history.calls.push({ callId, tool, server, round, attempt, ...when, isError, by, isCarried });
  }

  #begin(history: NodeHistory, { at, payload }: EventOf<"node.started">): void {
    // A later segment continues the attempt, so its cost so far is kept.
    const before = payload.segment === undefined ? undefined : this.#attempts.get(keyOf(payload));
    if (before !== undefined) {
      Object.assign(before, { endedAt: null, status: "running", errorCode: null });
      return;
    }
    const { nodeId, attempt = 0, agentId, gatewayId, provider, model, verdictId } = payload;
    const route = { agentId, gatewayId, provider, model, verdictId };
    const open = { endedAt: null, status: "running" as const, errorCode: null, childRunId: null };
    const spent = { costMicros: 0, inputTokens: 0, outputTokens: 0 };
    const begun: Attempt = { nodeId, attempt, startedAt: at, ...route, ...open, ...spent };
    history.attempts.push(begun);
    this.#attempts.set(keyOf(payload), begun);
  }

  #change(subject: Subject, changes: Partial<Attempt>): void {
    const attempt = this.#attempts.get(keyOf(subject));
    if (attempt !== undefined) Object.assign(attempt, changes);
  }

  /** Ends only an attempt in progress. Later events of a settled node are about the node, not the attempt. */
  #finish({ at, payload }: NodeEvent, status: NodeStatus, errorCode: string | null = null): void {
    const attempt = this.#attempts.get(keyOf(payload));
    if (attempt === undefined || attempt.endedAt !== null) return;
    Object.assign(attempt, { endedAt: at, status, errorCode });
  }

  #pay(payload: EventPayload<"cost.recorded">): void {
    const attempt = this.#attempts.get(keyOf(payload));
    if (attempt === undefined) return;
    attempt.costMicros += payload.costMicros;
    attempt.inputTokens += payload.tokens.inputTokens;
    attempt.outputTokens += payload.tokens.outputTokens;
    if (typeof payload.model === "string") attempt.model = payload.model;
  }
}

interface Subject {
  readonly nodeId: string;
  readonly attempt?: number | undefined;
}

function keyOf({ nodeId, attempt = 0 }: Subject): string {
  return attemptKey({ nodeId, attempt });
}

function noteUses(uses: Map<string, Use[]>, history: NodeHistory): void {
  for (const input of history.inputs) {
    const key = input.sourceNodeId ?? "";
    const list = uses.get(key) ?? [];
    list.push({ history, input });
    uses.set(key, list);
  }
}

function beginHistory(nodeId: string): NodeHistory {
  const nothing = { instanceIds: null, isRepeated: false, result: null, invalidatedAt: null };
  return { nodeId, inputs: [], attempts: [], approvals: new Map(), calls: [], ...nothing };
}

function startOf(event: EventOf<"run.started">): Start {
  const { args, version, parentRunId = null, sourceRunId = null, prompts = {} } = event.payload;
  return { at: event.at, args, version, parentRunId, sourceRunId, origins: argOriginsOf(event), prompts };
}

function inputOf({ eventId, payload }: EventOf<"node.provenance">): Input {
  const { nodeId: _node, attempt: _attempt, transform = null, ...handOff } = payload;
  return { eventId, ...handOff, transform };
}

function resultOf({ eventId, at, payload }: EventOf<"node.completed">): Result {
  const { attempt = null, outputs, carried = false, by = null } = payload;
  return { eventId, at, attempt, outputs, isCarried: carried, by };
}

function takeApproval(
  history: NodeHistory,
  { type, payload }: EventOf<"approval.requested" | "approval.resolved">,
): void {
  const { approvalId, source } = payload;
  if (type === "approval.requested") {
    const open = { status: "pending", decision: null, by: null, reason: null, changed: [] };
    const { policies, rendered } = payload;
    history.approvals.set(approvalId, { approvalId, source, policies, rendered, ...open });
    return;
  }
  const approval = history.approvals.get(approvalId);
  if (approval === undefined) return;
  approval.status = payload.status;
  approval.decision = payload.decision ?? null;
  approval.by = payload.by ?? null;
  approval.reason = payload.reason ?? null;
  approval.changed = Object.keys(payload.modifications ?? {});
}
