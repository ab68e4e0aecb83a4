import { CONTEXT_CLASSES } from "../core/definition/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import type { DispatchFacts, Judgement, MatchedPolicy, Policy } from "../core/governance/index.ts";
import { assembleInstructions, type AssembledInstructions, type InstructionLayer } from "../core/instructions/index.ts";
import type { Duty } from "../core/plan/index.ts";
import { planNodeOf, type Scene } from "./facts.ts";

const NOTHING: Pick<AssembledInstructions, "sections" | "conflicts"> = { sections: [], conflicts: [] };

/** For a node that may act; whoever may not is told nothing. */
export function instructed(
  judgement: Judgement,
  facts: DispatchFacts,
  scene: Pick<Scene, "request" | "about">,
): Pick<AssembledInstructions, "sections" | "conflicts"> {
  if (judgement.disposition !== "allow") return NOTHING;
  const duty = planNodeOf(scene)?.duty ?? null;
  return instruct({ facts, matched: judgement.matched, request: scene.request, duty });
}

/** What the layers of a prompt are made of, for one node. */
interface Instructing {
  readonly facts: DispatchFacts;
  readonly matched: readonly MatchedPolicy[];
  readonly request: RequestVerdict;
  readonly duty: Duty | null;
}

/**
 * What whoever does the work is told besides the work itself, strictest first. The engine's own guardrails are the same
 * for everybody and are added where the request is sent; the command and its inputs are the work.
 */
function instruct({ facts, matched, request, duty }: Instructing): AssembledInstructions {
  return assembleInstructions([
    ...policyLayers(facts.policies, matched),
    ...teamLayers(facts.agentId, duty),
    ...agentLayers(facts, duty),
    askedFor(facts, request),
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
