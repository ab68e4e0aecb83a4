import { CONTEXT_CLASSES } from "../core/definition/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import type { DispatchFacts, Judgement, MatchedPolicy, Policy } from "../core/governance/index.ts";
import { assembleInstructions, type AssembledInstructions, type InstructionLayer } from "../core/instructions/index.ts";
import type { Duty } from "../core/plan/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { MemoryEntry } from "../store/index.ts";
import { planNodeOf, type Scene } from "./facts.ts";
import type { AboutRun } from "./judge.ts";
import type { Memories } from "./memories.ts";

const NOTHING: Pick<AssembledInstructions, "sections" | "conflicts"> = { sections: [], conflicts: [] };

/** For a node that may act; whoever may not is told nothing. */
export function instructed(
  judgement: Judgement,
  facts: DispatchFacts,
  scene: Pick<Scene, "request" | "about">,
  memories: Memories,
): Pick<AssembledInstructions, "sections" | "conflicts"> {
  if (judgement.disposition !== "allow") return NOTHING;
  const duty = planNodeOf(scene)?.duty ?? null;
  const memory = memoryLayers(facts, scene.about, memories);
  return instruct({ facts, matched: judgement.matched, request: scene.request, duty, memory });
}

/** What the layers of a prompt are made of, for one node. */
interface Instructing {
  readonly facts: DispatchFacts;
  readonly matched: readonly MatchedPolicy[];
  readonly request: RequestVerdict;
  readonly duty: Duty | null;
  readonly memory: readonly InstructionLayer[];
}

/**
 * What whoever does the work is told besides the work itself, strictest first. The engine's own guardrails are the same
 * for everybody and are added where the request is sent; the command and its inputs are the work.
 */
function instruct({ facts, matched, request, duty, memory }: Instructing): AssembledInstructions {
  return assembleInstructions([
    ...policyLayers(facts.policies, matched),
    ...teamLayers(facts.agentId, duty),
    ...agentLayers(facts, duty),
    askedFor(facts, request),
    ...memory,
  ]);
}

/** Policies that hold for this node and have something to say to it. */
function policyLayers(policies: readonly Policy[], matched: readonly MatchedPolicy[]): readonly InstructionLayer[] {
  if (matched.length === 0) return [];
  return policies.flatMap((policy): InstructionLayer[] => {
    const { name, version, scope, instructions, forbids } = policy;
    if (instructions === null && forbids === null) return [];
    if (!matched.some((one) => one.name === name && one.version === version)) return [];
    const isOwners = scope === "workflow" || scope === "agent";
    return [
      {
        layer: isOwners ? 3 : 2,
        source: `policy ${name}@${version}`,
        text: instructions ?? "",
        ...(forbids === null ? {} : { forbids }),
      },
    ];
  });
}

function teamLayers(agentId: string, duty: Duty | null): readonly InstructionLayer[] {
  const candidate = duty?.candidates.find(({ agent }) => agent === agentId);
  if (duty === null || candidate === undefined || candidate.allowedTools.length === 0) return [];
  const text = `Tools you may use: ${candidate.allowedTools.join(", ")}.`;
  return [{ layer: 4, source: `team ${duty.team}`, text }];
}

function agentLayers({ agent, agentId }: DispatchFacts, duty: Duty | null): readonly InstructionLayer[] {
  const patch = duty?.candidates.find((candidate) => candidate.agent === agentId)?.promptPatch ?? null;
  const texts = [agent?.systemPrompt ?? null, agent?.personalityNote ?? null].filter((text) => text !== null);
  const classes = agent?.dataClasses ?? [];
  const forbidden = classes.length === 0 ? [] : CONTEXT_CLASSES.filter((one) => !classes.includes(one));
  const layers: InstructionLayer[] = [];
  if (texts.length > 0 || forbidden.length > 0) {
    const forbids = forbidden.length === 0 ? {} : { forbids: { dataClasses: forbidden } };
    layers.push({ layer: 5, source: `agent ${agentId}`, text: texts.join("\n\n"), ...forbids });
  }
  if (patch !== null) layers.push({ layer: 5, source: `team ${duty?.team ?? ""}, ${agentId}`, text: patch });
  return layers;
}

/**
 * What the agent answered before. Each entry is one line that begins with where it comes from, whatever its text says:
 * it can open no section, and is last to be heard.
 */
function memoryLayers(
  { agent, agentId }: DispatchFacts,
  { orgId, returned }: AboutRun,
  memories: Memories,
): readonly InstructionLayer[] {
  const profile = agent?.memoryProfile ?? null;
  if (profile === null) return [];
  const entries = memories.recall(orgId, agentId, profile, returned?.memoriesOf(agentId) ?? []);
  const text = entries.map(lineOf).join("\n");
  return [{ layer: 9, source: `memory ${profile.name} of ${agentId}`, text }];
}

function lineOf({ at, runId, nodeId, text }: MemoryEntry): string {
  const minute = isoFromEpochMs(at).replace(/:\d\d\.\d{3}Z$/, "Z");
  return `- ${minute} ${runId} ${nodeId}: ${text.replaceAll(/\s+/g, " ")}`;
}

/** What the step asks for; what it says is the message itself. */
function askedFor({ node }: DispatchFacts, { hints }: RequestVerdict): InstructionLayer {
  return {
    layer: 6,
    source: `node ${node.id}`,
    text: "",
    asks: {
      tools: hints.tools,
      models: node.model === null ? [] : [node.model],
      dataClasses: node.contextSources.map((source) => source.class),
      ...(hints.estimatedCostMicros === null ? {} : { spendMicros: hints.estimatedCostMicros }),
    },
  };
}
