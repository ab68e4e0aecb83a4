import { digestJson, type JsonObject } from "../core/base/index.ts";
import { type AgentTurn, askedOf, callIdOf, callsAlone, type Dispatch, type RunState } from "../core/engine/index.ts";
import type { AskedCall } from "../core/event/index.ts";
import { nodeCallOf } from "../core/governance/index.ts";
import { type PlanNode, renderInstructions, sentInstructions, DEFAULT_AGENT_ID } from "../core/plan/index.ts";
import { lensOutputSchema, outputJsonSchema } from "../core/outputs/index.ts";
import type { AdapterRequest, Resume } from "../adapter/index.ts";
import { rulingOf } from "./call-ruling.ts";
import { scriptToolOf } from "./step-tool.ts";

/** Converts the engine's dispatch to the request format of the Bridge. */
export function dispatchRequest(dispatch: Dispatch, state: RunState, provider: string): AdapterRequest {
  const { request, hints, route, maxOutputTokens } = dispatch;
  const node = planNodeOf(state, dispatch.nodeId);
  const outputSchema = outputSchemaOf(dispatch, node);
  const systemPrompt = systemPromptOf(dispatch, provider);
  const { message, stdin, inputs } = request;
  const { model } = route;
  const asked = {
    provider: hints.provider ?? route.provider ?? provider,
    ownModel: hints.model,
    model,
    message,
    stdin,
    inputs,
  };
  const call = nodeCallOf(asked);
  const sent: AdapterRequest = {
    dispatchId: dispatch.dispatchId,
    runId: state.runId,
    stepId: dispatch.nodeId,
    attempt: dispatch.attempt,
    idempotencyKey: dispatch.idempotencyKey,
    provider,
    agentId: route.agentId ?? DEFAULT_AGENT_ID,
    message: request.message,
    inputs: { ...request.inputs },
    outputStrategy: request.outputStrategy,
    timeoutMs: dispatch.timeoutMs,
    context: {
      runId: state.runId,
      workflow: state.plan.name,
      phase: node?.phase ?? null,
      upstreamDigest: upstreamDigest(request.inputs),
    },
    effects: dispatch.effects,
  };
  if (route.model !== null) sent.model = route.model;
  if (systemPrompt !== null) sent.systemPrompt = systemPrompt;
  if (request.stdin !== null) sent.stdin = request.stdin;
  if (hints.tools.length > 0) sent.tools = [...hints.tools];
  if (call !== null) sent.tool = call.name;
  if (hints.stepTools !== undefined) sent.stepTools = stepToolsOf(dispatch);
  if (outputSchema !== null) sent.outputSchema = { ...outputSchema };
  if (maxOutputTokens !== null) sent.maxOutputTokens = maxOutputTokens;
  if (dispatch.segment > 0) sent.segment = dispatch.segment;
  if (dispatch.turn !== null) sent.resume = resumeOf(dispatch, dispatch.turn, state);
  return sent;
}

/** A workflow that could not be looked up accepts args of any kind. */
function stepToolsOf({ hints, toolSpecs = [] }: Dispatch): NonNullable<AdapterRequest["stepTools"]> {
  return (hints.stepTools ?? []).map((tool) => {
    const { name } = tool;
    if (tool.kind === "workflow") return toolSpecs.find((one) => one.name === name) ?? { name, parameters: ANY_ARGS };
    const { description, parameters } = tool;
    return { name, parameters, ...(description === null ? {} : { description }) };
  });
}

const ANY_ARGS: JsonObject = { type: "object" };

/** Returns the work of the agent so far in this epoch. */
function resumeOf({ nodeId, epoch }: Dispatch, turn: AgentTurn, state: RunState): Resume {
  const { transcript } = turn;
  const results: Resume["results"] = {};
  for (const { id, result } of turn.calls.values()) {
    if (result !== null) results[id] = { result: result.value, isError: result.isError };
  }
  const resumed = (callId: string, { tool, server, args }: AskedCall): Resume["rounds"][number]["calls"][number] => {
    const call = turn.calls.get(callId);
    const named = { callId, tool, ...(server === undefined ? {} : { server }), args };
    // A script tool without a result is sent without a ruling, so that it is decided again and then run by the server.
    const isOpen = call?.result === null && scriptToolOf(state, nodeId, tool) !== undefined && server === undefined;
    return call === undefined || isOpen ? named : { ...named, ruling: rulingOf(call) };
  };
  const rounds = turn.rounds.map(({ message, calls }, round) => ({
    message,
    calls: [
      ...calls.map((call, position) => resumed(callIdOf(state, { id: nodeId, epoch }, round, position), call)),
      ...callsAlone(turn, round).map((call) => resumed(call.id, askedOf(call))),
    ],
  }));
  return { rounds, results, ...(transcript === null ? {} : { transcript }) };
}

function systemPromptOf({ instructions }: Dispatch, provider: string): string | null {
  const sections = sentInstructions(provider, instructions);
  return sections.length === 0 ? null : renderInstructions(sections);
}

const NOTHING_UPSTREAM = digestJson({});

/** Most nodes declare no inputs, and hashing an empty object every time would cost more than the rest of the request. */
function upstreamDigest(inputs: JsonObject): string {
  return Object.keys(inputs).length === 0 ? NOTHING_UPSTREAM : digestJson(inputs);
}

function planNodeOf(state: RunState, nodeId: string): PlanNode | undefined {
  const { indexById } = state.plan;
  const index = indexById.get(nodeId) ?? indexById.get(nodeId.split("[", 1)[0] ?? nodeId);
  return index === undefined ? undefined : state.plan.nodes[index];
}

/** Returns how the answer of a node is read: as JSON when the node declares outputs. */
export function outputStrategyOf(state: RunState, nodeId: string): "text" | "json" {
  const node = planNodeOf(state, nodeId);
  if (node?.body.kind === "step") return node.body.outputs === null ? "text" : "json";
  return node?.body.kind === "lens" && lensOutputSchema(node.body.outputContract) !== null ? "json" : "text";
}

function outputSchemaOf({ request }: Dispatch, node: PlanNode | undefined): JsonObject | null {
  if (request.outputFields !== null) return outputJsonSchema(request.outputFields);
  return node?.body.kind === "lens" ? lensOutputSchema(node.body.outputContract) : null;
}
