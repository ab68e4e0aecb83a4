import {
  dispatchIdOf,
  type EventOf,
  type RunEvent,
  settledStatusOf,
  SETTLING_TYPES,
  type SettlingEvent,
  type SettlingType,
} from "../event/index.ts";
import { detailsOf, usdOf } from "./details.ts";
import { ATTRIBUTES as A, NODE_SPAN, OPERATIONS } from "./names.ts";
import { type Ending, OpenSpan } from "./open-span.ts";
import type { EndedSpan } from "./span.ts";
import { attemptSpanId, nodeSpanId } from "./span-id.ts";
import { TurnTracer } from "./turn-tracer.ts";

export type NodeEvent = Exclude<RunEvent, { readonly type: `run.${string}` }>;

interface Place {
  readonly runId: string;
  readonly traceId: string;
}

/** Events that end an attempt, whether or not they settle the node. */
type AttemptEnding = EventOf<SettlingType | "node.retried" | "node.blocked">;

/** Events that begin the span of a node. Waiting for other nodes is not part of the span. */
const OPENING: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "node.queued",
  "node.expanded",
  "node.started",
  "node.retried",
  "node.blocked",
  ...SETTLING_TYPES,
  "gate.decided",
  "approval.requested",
  "contract.violated",
  "moderation.flagged",
]);

/** Events that belong to the node even during an attempt. */
const AROUND: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "node.queued",
  "node.retried",
  "node.blocked",
  "gate.decided",
]);

/** The spans of one node: one from queued to settled, and one inside it per attempt. */
export class NodeTracer {
  readonly #place: Place;
  readonly #nodeId: string;
  #lives = 0;
  #span: OpenSpan | null = null;
  #attempt: { readonly number: number; readonly span: OpenSpan; isStreaming: boolean } | null = null;
  readonly #turn: TurnTracer;
  #agentName = "";

  constructor(place: Place, nodeId: string) {
    this.#place = place;
    this.#nodeId = nodeId;
    this.#turn = new TurnTracer({ ...place, nodeId });
  }

  get span(): OpenSpan | undefined {
    return this.#span ?? undefined;
  }

  openSpans(): readonly OpenSpan[] {
    return [this.#span, this.#attempt?.span].flatMap((span) => (span === null || span === undefined ? [] : [span]));
  }

  /** Records an event. `isTaken` is false when the event happened outside any span of the node. */
  record(event: NodeEvent, at: number, parentSpanId: string): { ended: readonly EndedSpan[]; isTaken: boolean } {
    const span = this.#span ?? (OPENING.has(event.type) ? this.#open(at, parentSpanId) : null);
    if (span === null) return { ended: [], isTaken: false };
    switch (event.type) {
      case "node.started":
        return { ended: this.#start(event, at, span), isTaken: true };
      case "node.retried":
      case "node.blocked": {
        this.#note(event, at, span);
        return { ended: this.#endAttempt(event, at), isTaken: true };
      }
      case "node.completed":
      case "node.failed":
      case "node.timed_out":
      case "node.skipped":
      case "node.cancelled":
        return { ended: [...this.#endAttempt(event, at), this.#settle(event, at, span)], isTaken: true };
      case "node.stream.delta":
        this.#stream(event, at);
        return NOTHING;
      case "cost.recorded":
        this.#cost(event, at, span);
        return NOTHING;
      case "round.completed":
      case "tool.requested":
      case "tool.completed":
        return { ended: this.#ofTurn(event, at, span), isTaken: true };
      case "child.started":
        this.#nameChild(event);
        this.#note(event, at, span);
        return NOTHING;
      case "gate.decided":
        span.set(A.gateDisposition, event.payload.disposition).set(A.gateName, event.payload.gate);
        this.#note(event, at, span);
        return NOTHING;
      default:
        this.#note(event, at, span);
        return NOTHING;
    }
  }

  /** Ends all open spans, because the run has ended. */
  cut({ at, eventId }: Omit<Ending, "status">): readonly EndedSpan[] {
    const ended = this.openSpans().map((span) => span.end({ at, eventId, status: "unset" }));
    this.#attempt = null;
    this.#span = null;
    return ended.reverse();
  }

  #open(at: number, parentSpanId: string): OpenSpan {
    this.#lives += 1;
    const { runId, traceId } = this.#place;
    const spanId = nodeSpanId(runId, this.#nodeId, this.#lives);
    const name = `${NODE_SPAN} ${this.#nodeId}`;
    const span = new OpenSpan({ traceId, spanId, parentSpanId, name, kind: "internal", startedAt: at });
    this.#span = span;
    return span.set(A.runId, runId).set(A.nodeId, this.#nodeId);
  }

  #start(event: EventOf<"node.started">, at: number, node: OpenSpan): readonly EndedSpan[] {
    const { payload, eventId } = event;
    node.set(A.wave, payload.wave);
    const number = payload.attempt ?? 0;
    const ended = this.#attempt?.span.end({ at, eventId, status: "unset" });
    const { runId, traceId } = this.#place;
    const { agentId, provider, model, gatewayId, verdictId, executionPath, segment = 0 } = payload;
    this.#agentName = agentId ?? this.#nodeId;
    this.#turn.begin(provider, at);
    const operation = model !== null ? OPERATIONS.model : provider !== null ? OPERATIONS.agent : OPERATIONS.workflow;
    const subject = model ?? agentId ?? this.#nodeId;
    const span = new OpenSpan({
      traceId,
      spanId: attemptSpanId(dispatchIdOf({ runId, nodeId: this.#nodeId, attempt: number, segment })),
      parentSpanId: node.spanId,
      name: `${operation} ${subject}`,
      // A child run continues in this trace. Every other attempt is a call to an external system.
      kind: provider === null ? "internal" : "client",
      startedAt: at,
    });
    span
      .set(A.operation, operation)
      .set(A.runId, runId)
      .set(A.nodeId, this.#nodeId)
      .set(A.attempt, number)
      .set(A.agentId, agentId)
      .set(A.agentName, agentId)
      .set(A.provider, provider)
      .set(A.requestModel, model)
      .set(A.gateway, gatewayId)
      .set(A.executionPath, executionPath)
      .set(A.verdict, verdictId)
      .set(A.gateDisposition, verdictId === null ? null : "allow");
    this.#attempt = { number, span, isStreaming: false };
    return ended === undefined ? [] : [ended];
  }

  /** An attempt with rounds is traced as an agent: each of its model calls has a span of its own. */
  #ofTurn(
    event: EventOf<"round.completed" | "tool.requested" | "tool.completed">,
    at: number,
    node: OpenSpan,
  ): readonly EndedSpan[] {
    // A carried event was executed and traced in the original run.
    if (event.payload.carried === true) return [];
    const inside = { parent: this.#attempt?.span ?? node, life: this.#lives, at };
    switch (event.type) {
      case "tool.requested":
        this.#turn.request(event);
        return [];
      case "tool.completed": {
        const call = this.#turn.call(event, inside);
        return call === null ? [] : [call];
      }
      case "round.completed":
        this.#attempt?.span.rename(`${OPERATIONS.agent} ${this.#agentName}`).set(A.operation, OPERATIONS.agent);
        return [this.#turn.round(event, inside)];
    }
  }

  #nameChild({ payload }: EventOf<"child.started">): void {
    if (payload.attempt === this.#attempt?.number) this.#attempt?.span.set(A.workflow, payload.workflow);
  }

  /** Records the time of the first chunk. The chunks themselves are content and are not exported. */
  #stream({ type }: EventOf<"node.stream.delta">, at: number): void {
    const attempt = this.#attempt;
    if (attempt === null || attempt.isStreaming) return;
    attempt.isStreaming = true;
    attempt.span.note({ name: type, at, attributes: new Map() });
  }

  #cost(event: EventOf<"cost.recorded">, at: number, node: OpenSpan): void {
    const { costMicros, tokens, attempt, late, model, extraCalls } = event.payload;
    node.add(A.cost, usdOf(costMicros));
    const open = this.#attempt;
    if (open === null || attempt !== open.number || late === true) return this.#note(event, at, node);
    open.span.set(A.responseModel, model).set(A.extraCalls, extraCalls).add(A.cost, usdOf(costMicros));
    open.span.add(A.inputTokens, tokens.inputTokens);
    open.span.add(A.outputTokens, tokens.outputTokens);
    if (tokens.thinkingTokens > 0) open.span.add(A.thinkingTokens, tokens.thinkingTokens);
    if (tokens.cachedTokens > 0) open.span.add(A.cachedTokens, tokens.cachedTokens);
  }

  #endAttempt(event: AttemptEnding, at: number): readonly EndedSpan[] {
    const attempt = this.#attempt;
    if (attempt === null) return [];
    this.#attempt = null;
    const { type, payload, eventId } = event;
    const hasError = type !== "node.completed" && type !== "node.cancelled" && payload.errorCode !== undefined;
    if (hasError) attempt.span.set(A.errorType, payload.errorCode);
    if (type === "node.cancelled") attempt.span.set(A.reason, payload.reason);
    const status = hasError ? "error" : type === "node.completed" ? "ok" : "unset";
    return [attempt.span.end({ at, eventId, status })];
  }

  #settle(event: SettlingEvent, at: number, span: OpenSpan): EndedSpan {
    this.#span = null;
    span.set(A.nodeStatus, settledStatusOf(event.type));
    switch (event.type) {
      case "node.completed":
        span.set(A.carried, event.payload.carried);
        return span.end({ at, eventId: event.eventId, status: "ok" });
      case "node.skipped":
        span.set(A.carried, event.payload.carried).set(A.reason, event.payload.reason);
        return span.end({ at, eventId: event.eventId, status: "unset" });
      case "node.cancelled":
        span.set(A.reason, event.payload.reason);
        return span.end({ at, eventId: event.eventId, status: "unset" });
      case "node.failed":
      case "node.timed_out":
        span.set(A.errorType, event.payload.errorCode);
        return span.end({ at, eventId: event.eventId, status: "error" });
    }
  }

  /** Adds the event to the span of its attempt while that is open, else to the span of the node. */
  #note(event: NodeEvent, at: number, node: OpenSpan): void {
    const attributes = detailsOf(event);
    if (attributes === null) return;
    const isOfAttempt = !AROUND.has(event.type) && event.payload.attempt === this.#attempt?.number;
    const span = isOfAttempt ? (this.#attempt?.span ?? node) : node;
    span.note({ name: event.type, at, attributes });
  }
}

const NOTHING = { ended: [], isTaken: true } as const;
