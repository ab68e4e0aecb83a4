import { type Json, type JsonObject, jsonToText } from "../base/index.ts";
import type { Envelope, EventPayload, SkipReason, Tokens } from "../event/index.ts";
import { NO_TOKENS } from "./create-state.ts";
import type { NodeState } from "./state.ts";
import { about, emit, perform, type Turn } from "./turn.ts";

export interface Result {
  readonly outputs: JsonObject;
  readonly envelope: Envelope;
}

/** The cost of the answer, as far as it is known. */
export interface Spent {
  readonly tokens?: Tokens;
  readonly costMicros?: number;
  readonly creditsCharged?: number;
}

export function completeNode(turn: Turn, node: NodeState, { envelope, outputs }: Result, spent: Spent = {}): void {
  const { now } = node;
  const isUnderWay = now.status === "running" || now.status === "streaming";
  // An agent that has waited for a person ran before, too.
  const durationMs = isUnderWay ? (node.turn?.ranMs ?? 0) + turn.at - now.startedAt : 0;
  const { inputTokens, outputTokens } = spent.tokens ?? NO_TOKENS;
  const costMicros = spent.costMicros ?? 0;
  const nodeId = node.id;
  const attempt = node.attempts;
  // A gate or a `for_each` node completes without an attempt of its own.
  const payload: EventPayload<"node.completed"> =
    isUnderWay && attempt > 0
      ? { nodeId, attempt, envelope, outputs, durationMs, inputTokens, outputTokens, costMicros }
      : { nodeId, envelope, outputs, durationMs, inputTokens, outputTokens, costMicros };
  if (spent.creditsCharged !== undefined) payload.creditsCharged = spent.creditsCharged;
  emit(turn, "node.completed", payload);
}

/** Completes a gate. Its outputs are the answer and the entered form values. */
export function completeGate(turn: Turn, node: NodeState, isApproved: boolean): void {
  completeNode(turn, node, dataResult({ ...(isApproved ? node.entered : {}), approved: isApproved }));
}

/** A result that is data rather than text. */
export function dataResult(outputs: JsonObject): Result {
  const data: Json = outputs;
  return { outputs, envelope: { kind: "json", artifactKind: "json", output: jsonToText(data), data } };
}

export function skipNode(turn: Turn, node: NodeState, reason: SkipReason): void {
  emit(turn, "node.skipped", { ...about(node), reason });
  // Skipping a failure handler that had no failure to handle needs no notification.
  if (reason === "no_failure") return;
  perform(turn, { type: "notify", kind: "skipped", nodeId: node.id, message: `${node.id} was skipped: ${reason}` });
}
