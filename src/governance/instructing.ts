import type { RequestVerdict } from "../core/engine/index.ts";
import type { DispatchFacts, Judgement, MatchedPolicy, Policy } from "../core/governance/index.ts";
import {
  type AssembledInstructions,
  assembleInstructions,
  type InstructionLayer,
  type PlanNode,
} from "../core/plan/index.ts";
import { planNodeOf, type Scene } from "./facts.ts";
import {
  agentLayers,
  candidateOf,
  configLayers,
  memoryLayer,
  memoryLine,
  patchLayers,
  policyLayer,
  teamLayers,
} from "./instruction-layers.ts";
import type { AboutRun } from "./judge.ts";
import type { Memories } from "./memories.ts";

const NOTHING: Pick<AssembledInstructions, "sections" | "conflicts"> = { sections: [], conflicts: [] };

/** Returns the instructions for a node that is allowed to run. A blocked node gets none. */
export function instructed(
  judgement: Judgement,
  facts: DispatchFacts,
  scene: Pick<Scene, "request" | "about">,
  memories: Memories,
): Pick<AssembledInstructions, "sections" | "conflicts"> {
  if (judgement.disposition !== "allow") return NOTHING;
  const memory = memoryLayers(facts, scene.about, memories);
  const { request } = scene;
  return instruct({ facts, matched: judgement.matched, request, planNode: planNodeOf(scene), memory });
}

/** The sources of the instruction layers of one node. */
interface Instructing {
  readonly facts: DispatchFacts;
  readonly matched: readonly MatchedPolicy[];
  readonly request: RequestVerdict;
  readonly planNode: PlanNode | undefined;
  readonly memory: readonly InstructionLayer[];
}

/**
 * Assembles the instructions an agent gets in addition to the work itself, strictest first. The engine's guardrails are
 * the same for all and are added when the request is sent. The command and its inputs are the work.
 */
function instruct({ facts, matched, request, planNode, memory }: Instructing): AssembledInstructions {
  const duty = planNode?.duty ?? null;
  const config = configLayers(planNode);
  const team = duty?.team ?? "";
  const candidate = candidateOf(duty, facts.agentId);
  return assembleInstructions([
    ...policyLayers(facts.policies, matched),
    ...(candidate === null ? [] : teamLayers(team, candidate)),
    ...agentLayers(facts),
    ...(candidate === null ? [] : patchLayers(team, candidate)),
    askedFor(facts, request, config.length > 0 && request.hints.model !== null),
    ...config,
    ...memory,
  ]);
}

/** Returns the layers of policies that apply to this node and have instructions. */
function policyLayers(policies: readonly Policy[], matched: readonly MatchedPolicy[]): readonly InstructionLayer[] {
  if (matched.length === 0) return [];
  return policies.flatMap((policy): InstructionLayer[] => {
    const layer = policyLayer(policy);
    if (layer === null) return [];
    return matched.some(({ name, version }) => name === policy.name && version === policy.version) ? [layer] : [];
  });
}

function memoryLayers(
  { agent, agentId }: DispatchFacts,
  { orgId, returned }: AboutRun,
  memories: Memories,
): readonly InstructionLayer[] {
  const profile = agent?.memoryProfile ?? null;
  if (profile === null) return [];
  const entries = memories.recall(orgId, agentId, profile, returned?.memoriesOf(agentId) ?? []);
  return [memoryLayer(agentId, profile.name, entries.map(memoryLine))];
}

/** Returns the layer with the requests of the step or lens. Its text is the message itself, so the layer has none. */
function askedFor({ node }: DispatchFacts, { hints }: RequestVerdict, isModelConfigured: boolean): InstructionLayer {
  return {
    layer: 6,
    source: `node ${node.id}`,
    text: "",
    asks: {
      tools: hints.tools,
      models: node.model === null || isModelConfigured ? [] : [node.model],
      dataClasses: node.contextSources.map((source) => source.class),
      ...(hints.estimatedCostMicros === null ? {} : { spendMicros: hints.estimatedCostMicros }),
    },
  };
}
