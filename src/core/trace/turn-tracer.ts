import type { EventOf } from "../event/index.ts";
import { usdOf } from "./details.ts";
import { ATTRIBUTES as A, OPERATIONS } from "./names.ts";
import { OpenSpan } from "./open-span.ts";
import type { EndedSpan } from "./span.ts";
import { callSpanId, roundSpanId } from "./span-id.ts";

interface TracedNode {
  readonly runId: string;
  readonly traceId: string;
  readonly nodeId: string;
}

/** Where a span of a turn belongs. */
interface Inside {
  readonly parent: OpenSpan;
  /** Of the node's span: a turn that starts over has other rounds of the same numbers. */
  readonly life: number;
  readonly at: number;
}

/** The spans of an agent's turn: one per model call, one per tool call. Never what was said, asked or returned. */
export class TurnTracer {
  readonly #node: TracedNode;
  readonly #asked = new Map<string, EventOf<"tool.requested">["payload"]>();
  #provider: string | null = null;
  #began = 0;
  /** Since when the model may have been asked: the execution began, or the last tool returned. */
  #since = 0;

  constructor(node: TracedNode) {
    this.#node = node;
  }

  /** An execution begins. */
  begin(provider: string | null, at: number): void {
    this.#provider = provider;
    this.#began = at;
    this.#since = at;
  }

  request({ payload }: EventOf<"tool.requested">): void {
    if (payload.carried !== true) this.#asked.set(payload.callId, payload);
  }

  round({ payload, eventId }: EventOf<"round.completed">, { parent, life, at }: Inside): EndedSpan {
    const { runId, traceId, nodeId } = this.#node;
    const { round, model, inputTokens, outputTokens, costMicros, attempt } = payload;
    const span = new OpenSpan({
      traceId,
      spanId: roundSpanId(runId, nodeId, life, round),
      parentSpanId: parent.spanId,
      name: model === null ? OPERATIONS.model : `${OPERATIONS.model} ${model}`,
      kind: "client",
      startedAt: Math.min(this.#since, at),
    });
    this.#since = at;
    span
      .set(A.operation, OPERATIONS.model)
      .set(A.runId, runId)
      .set(A.nodeId, nodeId)
      .set(A.attempt, attempt)
      .set(A.turnRound, round)
      .set(A.provider, this.#provider)
      .set(A.requestModel, model)
      .set(A.responseModel, model)
      .set(A.inputTokens, inputTokens)
      .set(A.outputTokens, outputTokens)
      .set(A.cost, usdOf(costMicros));
    return span.end({ at, eventId, status: "ok" });
  }

  /** Null: it was not made here, or a person said what it returned. */
  call({ payload, eventId }: EventOf<"tool.completed">, { parent, at }: Inside): EndedSpan | null {
    const asked = this.#asked.get(payload.callId);
    if (asked === undefined || payload.by !== undefined) return null;
    const { runId, traceId, nodeId } = this.#node;
    const { tool, server, action, round } = asked;
    const { callId, durationMs, isError, attempt } = payload;
    this.#asked.delete(callId);
    this.#since = at;
    const span = new OpenSpan({
      traceId,
      spanId: callSpanId(callId),
      parentSpanId: parent.spanId,
      name: `${OPERATIONS.tool} ${tool}`,
      kind: "internal",
      // Whatever an adapter's clock says, it was made inside the execution that reports it.
      startedAt: Math.min(at, Math.max(this.#began, at - Math.round(durationMs))),
    });
    span
      .set(A.operation, OPERATIONS.tool)
      .set(A.runId, runId)
      .set(A.nodeId, nodeId)
      .set(A.attempt, attempt)
      .set(A.turnRound, round)
      .set(A.toolName, tool)
      .set(A.toolCallId, callId)
      // In the words of the conventions: the model names the args, and its client makes the call.
      .set(A.toolType, "function")
      .set(A.toolServer, server)
      .set(A.toolAction, action)
      .set(A.errorType, isError ? "tool_error" : null);
    return span.end({ at, eventId, status: isError ? "error" : "ok" });
  }
}
