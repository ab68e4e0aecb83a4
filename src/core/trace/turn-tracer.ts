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

/** The position of a turn's span. */
interface Inside {
  readonly parent: OpenSpan;
  /** Life of the node. The rounds of a turn that starts over have the same numbers, so the life distinguishes them. */
  readonly life: number;
  readonly at: number;
}

/** The spans of an agent's turn: one per model call and one per tool call. They contain no messages, args or results. */
export class TurnTracer {
  readonly #node: TracedNode;
  readonly #asked = new Map<string, EventOf<"tool.requested">["payload"]>();
  #provider: string | null = null;
  #began = 0;
  /** Earliest start of the current model call: the start of the execution, or the return of the last tool. */
  #since = 0;

  constructor(node: TracedNode) {
    this.#node = node;
  }

  /** Records the start of an execution. */
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

  /** Returns the span of a tool call. Null when the call was not made here, or a person supplied the result. */
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
      // The call is kept within the execution that reports it, whatever the adapter's clock shows.
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
      // "function" in the sense of the conventions: the model specifies the args, and its client makes the call.
      .set(A.toolType, "function")
      .set(A.toolServer, server)
      .set(A.toolAction, action)
      .set(A.errorType, isError ? "tool_error" : null);
    return span.end({ at, eventId, status: isError ? "error" : "ok" });
  }
}
