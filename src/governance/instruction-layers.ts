import { CONTEXT_CLASSES } from "../core/definition/index.ts";
import type { DispatchFacts, Policy } from "../core/governance/index.ts";
import type { InstructionLayer } from "../core/instructions/index.ts";
import type { Candidate, Duty } from "../core/plan/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { MemoryEntry } from "../store/index.ts";

/** Null: the policy has nothing to say to whoever does the work. */
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

/** The member of the team that the agent is, where a team does the node. */
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

/**
 * What the agent answered before. Each entry is one line that begins with where it comes from, whatever its text says:
 * it can open no section, and is last to be heard.
 */
export function memoryLayer(agentId: string, profile: string, lines: readonly string[]): InstructionLayer {
  return { layer: 9, source: `memory ${profile} of ${agentId}`, text: lines.join("\n") };
}

export function memoryLine({ at, runId, nodeId, text }: MemoryEntry): string {
  const minute = isoFromEpochMs(at).replace(/:\d\d\.\d{3}Z$/, "Z");
  return `- ${minute} ${runId} ${nodeId}: ${text.replaceAll(/\s+/g, " ")}`;
}
