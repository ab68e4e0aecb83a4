import { jsonToText } from "../core/base/index.ts";
import { CONTEXT_CLASSES } from "../core/definition/index.ts";
import type { DispatchFacts, Policy } from "../core/governance/index.ts";
import type { Candidate, Duty, InstructionLayer, PlanNode } from "../core/plan/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { MemoryRecord } from "../store/index.ts";

/** Null when the policy has no instructions for the agent. */
export function policyLayer({ name, version, scope, instructions, forbids }: Policy): InstructionLayer | null {
  if (instructions === null && forbids === null) return null;
  const isOwners = scope === "workflow" || scope === "agent";
  return {
    layer: isOwners ? 3 : 2,
    source: `policy ${name}@${version}`,
    text: instructions ?? "",
    ...(forbids === null ? {} : { forbids }),
  };
}

/** Returns the team member that the agent is, when a team executes the node. */
export function candidateOf(duty: Duty | null, agentId: string): Candidate | null {
  return duty?.candidates.find(({ agent }) => agent === agentId) ?? null;
}

export function teamLayers(team: string, { allowedTools }: Candidate): readonly InstructionLayer[] {
  if (allowedTools.length === 0) return [];
  return [{ layer: 4, source: `team ${team}`, text: `Tools you may use: ${allowedTools.join(", ")}.` }];
}

export function patchLayers(team: string, { agent, promptPatch }: Candidate): readonly InstructionLayer[] {
  return promptPatch === null ? [] : [{ layer: 5, source: `team ${team}, ${agent}`, text: promptPatch }];
}

export function agentLayers({ agent, agentId }: Pick<DispatchFacts, "agent" | "agentId">): readonly InstructionLayer[] {
  const texts = [agent?.systemPrompt ?? null, agent?.personalityNote ?? null].filter((text) => text !== null);
  const classes = agent?.dataClasses ?? [];
  const forbidden = classes.length === 0 ? [] : CONTEXT_CLASSES.filter((one) => !classes.includes(one));
  if (texts.length === 0 && forbidden.length === 0) return [];
  const forbids = forbidden.length === 0 ? {} : { forbids: { dataClasses: forbidden } };
  return [{ layer: 5, source: `agent ${agentId}`, text: texts.join("\n\n"), ...forbids }];
}

const CONFIG_VALUE_LENGTH_MAX = 500;

/**
 * Returns the layer with settings of a lens node: its model and parameter overrides, as written. A reference stays
 * unresolved, because its value comes from other nodes and is data, which does not belong in an instruction layer.
 */
export function configLayers(node: PlanNode | undefined): readonly InstructionLayer[] {
  if (node?.body.kind !== "lens") return [];
  const { id, request, body } = node;
  const settings = body.overrides.map(({ label, value }): readonly [string, string] => [
    `param_overrides.${label}`,
    value.kind === "text" ? value.template.text : jsonToText(value.value),
  ]);
  if (request.model !== null) settings.unshift(["model_id", request.model]);
  if (settings.length === 0) return [];
  return [
    {
      layer: 7,
      source: `node ${id}`,
      text: settings.map(([name, value]) => `${name}: ${oneLine(value)}`).join("\n"),
      ...(request.model === null ? {} : { asks: { models: [request.model] } }),
    },
  ];
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > CONFIG_VALUE_LENGTH_MAX ? `${line.slice(0, CONFIG_VALUE_LENGTH_MAX)}…` : line;
}

/**
 * Returns the layer with earlier answers of the agent. Each entry is one line that begins with its origin, so its text
 * cannot start a new section. It is the last layer.
 */
export function memoryLayer(agentId: string, profile: string, lines: readonly string[]): InstructionLayer {
  return { layer: 9, source: `memory ${profile} of ${agentId}`, text: lines.join("\n") };
}

export function memoryLine({ at, runId, nodeId, text }: MemoryRecord): string {
  const minute = isoFromEpochMs(at).replace(/:\d\d\.\d{3}Z$/, "Z");
  return `- ${minute} ${runId} ${nodeId}: ${text.replaceAll(/\s+/g, " ")}`;
}
