import { type Json, type JsonObject, jsonToText } from "../base/index.ts";
import type { Envelope, SkipReason, Tokens } from "../event/index.ts";
import { NO_TOKENS } from "./create-state.ts";
import type { NodeState } from "./state.ts";
import { about, emit, perform, type Turn } from "./turn.ts";

export interface Result {
  readonly outputs: JsonObject;
  readonly envelope: Envelope;
  readonly tokens?: Tokens;
  readonly costMicros?: number;
}

export function completeNode(turn: Turn, node: NodeState, result: Result): void {
  const { status } = node.now;
  const startedAt = node.now.status === "running" || node.now.status === "streaming" ? node.now.startedAt : turn.at;
  const { inputTokens, outputTokens } = result.tokens ?? NO_TOKENS;
  // A gate or a `for_each` node completes without an attempt of its own.
  const subject = status === "running" || status === "streaming" ? about(node) : { nodeId: node.id };
  emit(turn, "node.completed", {
    ...subject,
    envelope: result.envelope,
    outputs: result.outputs,
    durationMs: turn.at - startedAt,
    inputTokens,
    outputTokens,
    costMicros: result.costMicros ?? 0,
  });
}

export function completeGate(turn: Turn, node: NodeState, isApproved: boolean): void {
  completeNode(turn, node, dataResult({ approved: isApproved }));
}

/** A result that is data rather than text. */
export function dataResult(outputs: JsonObject): Result {
  const data: Json = outputs;
  return { outputs, envelope: { kind: "json", artifactKind: "json", output: jsonToText(data), data } };
}

export function skipNode(turn: Turn, node: NodeState, reason: SkipReason): void {
  emit(turn, "node.skipped", { ...about(node), reason });
  perform(turn, { type: "notify", kind: "skipped", nodeId: node.id, message: `${node.id} was skipped: ${reason}` });
}
