import { digestJson } from "../core/base/index.ts";
import type { Dispatch, RunState } from "../core/engine/index.ts";
import { outputJsonSchema } from "../core/outputs/index.ts";
import type { AdapterRequest } from "../bridge/index.ts";
import { DEFAULT_AGENT } from "./judge.ts";

/** The engine's dispatch as the Bridge takes it. */
export function dispatchRequest(dispatch: Dispatch, state: RunState, provider: string): AdapterRequest {
  const { request, hints, route } = dispatch;
  return {
    dispatchId: dispatch.dispatchId,
    runId: state.runId,
    stepId: dispatch.nodeId,
    attempt: dispatch.attempt,
    idempotencyKey: dispatch.idempotencyKey,
    provider,
    ...(route.model === null ? {} : { model: route.model }),
    agentId: route.agentId ?? DEFAULT_AGENT,
    message: request.message,
    ...(request.stdin === null ? {} : { stdin: request.stdin }),
    inputs: { ...request.inputs },
    ...(hints.tools.length === 0 ? {} : { tools: [...hints.tools] }),
    ...(request.outputFields === null ? {} : { outputSchema: { ...outputJsonSchema(request.outputFields) } }),
    outputStrategy: request.outputStrategy,
    timeoutMs: dispatch.timeoutMs,
    ...(dispatch.maxOutputTokens === null ? {} : { maxOutputTokens: dispatch.maxOutputTokens }),
    context: {
      runId: state.runId,
      workflow: state.plan.name,
      phase: phaseOf(state, dispatch.nodeId),
      upstreamDigest: digestJson(request.inputs),
    },
    effects: dispatch.effects,
  };
}

function phaseOf(state: RunState, nodeId: string): string | null {
  const index = state.plan.indexById.get(nodeId.split("[", 1)[0] ?? nodeId);
  return index === undefined ? null : (state.plan.nodes[index]?.phase ?? null);
}
