import type { Json, JsonObject } from "../../core/base/index.ts";
import type { ModerationMode } from "../../core/definition/index.ts";
import type { BoundRequest, CallbackResult } from "../../core/engine/index.ts";
import {
  ALLOWED,
  DEFAULT_MODERATION,
  type Moderation,
  type ModerationDecision,
  type ModerationRules,
} from "../../core/moderation/index.ts";
import type { ContentCheck, ModerationRequest } from "./content-check.ts";
import { RuleGateway } from "./rule-check.ts";
import { moderateSafely, unavailable } from "./unavailable.ts";

export type NodeOfRun = Pick<ModerationRequest, "orgId" | "runId" | "nodeId">;
type CompletedResult = Extract<CallbackResult, { readonly status: "completed" }>;

/**
 * Moderation of a node's texts in three places: the rules run before the gates, inside the commit; a service is asked
 * before the adapter is called; both check the result.
 */
export interface NodeModeration {
  /** Whether a service is asked before a node is sent, in addition to the rules. */
  readonly asksBeforeSend: boolean;
  inputNow(mode: ModerationMode, node: NodeOfRun, request: BoundRequest): Moderation;
  inputBeforeSend(
    mode: ModerationMode,
    node: NodeOfRun,
    request: BoundRequest,
    signal: AbortSignal,
  ): Promise<Moderation>;
  /** Returns the result for the engine: unchanged, or without its content and with the moderation decision. */
  result(mode: ModerationMode, node: NodeOfRun, result: CallbackResult, signal: AbortSignal): Promise<CallbackResult>;
}

export interface NodeModerationOptions {
  readonly rules?: ModerationRules;
  /** Asked after the rules; null when the rules alone decide. */
  readonly gateway?: ContentCheck | null;
}

export function createNodeModeration({ rules, gateway = null }: NodeModerationOptions = {}): NodeModeration {
  const byRules = new RuleGateway(rules ?? DEFAULT_MODERATION);
  const now = (request: ModerationRequest): Moderation => {
    try {
      return byRules.moderateNow(request);
    } catch {
      return unavailable("the rules could not be applied to it.");
    }
  };
  return {
    asksBeforeSend: gateway !== null,
    inputNow: (mode, node, request) => (moderatesInput(mode) ? now(inputOf(node, request)) : ALLOWED),
    async inputBeforeSend(mode, node, request, signal) {
      if (gateway === null || !moderatesInput(mode)) return ALLOWED;
      return moderateSafely(gateway, inputOf(node, request), signal);
    },
    async result(mode, node, result, signal) {
      if (!moderatesOutput(mode) || result.status !== "completed") return result;
      const request = outputOf(node, result);
      const ruled = now(request);
      const moderation = ruled.allowed && gateway !== null ? await moderateSafely(gateway, request, signal) : ruled;
      return moderation.allowed ? result : withoutContent(result, moderation.decision);
    },
  };
}

export function moderatesInput(mode: ModerationMode): boolean {
  return mode === "input" || mode === "both";
}

/** In these modes, streamed output must be withheld until the result has passed. */
export function moderatesOutput(mode: ModerationMode): boolean {
  return mode === "output" || mode === "both";
}

function inputOf(node: NodeOfRun, { message, stdin, inputs }: BoundRequest): ModerationRequest {
  const data: JsonObject = stdin === null ? { inputs } : { stdin, inputs };
  return { ...node, phase: "input", text: message, data };
}

function outputOf(node: NodeOfRun, { stdout, outputs, envelope, warnings }: CompletedResult): ModerationRequest {
  const parts: readonly (readonly [string, Json | undefined])[] = [
    ["outputs", outputs],
    ["envelope", envelope as Json | undefined],
    ["warnings", warnings],
  ];
  const data = Object.fromEntries(parts.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  return { ...node, phase: "output", text: stdout ?? envelope?.output ?? "", data };
}

/** Removes the refused content from a result and keeps its cost. */
function withoutContent(result: CompletedResult, decision: ModerationDecision): CallbackResult {
  const { tokens, costMicros, model, extraCalls } = result;
  return {
    status: "completed",
    moderation: { ...decision },
    tokens,
    costMicros,
    ...(model === undefined ? {} : { model }),
    ...(extraCalls === undefined ? {} : { extraCalls }),
  };
}
