import { type Agent, type DispatchFacts, dispatchPolicies, type Policy } from "../core/governance/index.ts";
import {
  type Candidate,
  type InstructionLayer,
  type PlanNode,
  renderInstructions,
  sentInstructions,
} from "../core/plan/index.ts";
import {
  agentLayers,
  candidateOf,
  configLayers,
  memoryLayer,
  patchLayers,
  policyLayer,
  teamLayers,
} from "./instruction-layers.ts";

/** The recipient of instructions, as known before a verdict. */
export interface Instructee extends Pick<DispatchFacts, "policies" | "gateway" | "agentId" | "agent" | "run"> {
  readonly provider: string | null;
  readonly planNode: PlanNode | undefined;
}

/**
 * Returns the maximum characters of a node's instructions: all it could get, whether or not its policies match, and
 * with a full agent memory. A reservation made from it is therefore sufficient, and a simulation, which has no memory,
 * computes the same. Agents, policies and teams are immutable objects, so each is measured once.
 */
export function instructionLengthMax(to: Instructee): number {
  const guardrails = sentInstructions(to.provider, []);
  if (guardrails.length === 0) return 0;
  let length = GUARDRAILS_LENGTH;
  if (to.agent !== null) length += agentLength(to.agent);
  const duty = to.planNode?.duty ?? null;
  const candidate = candidateOf(duty, to.agentId);
  if (duty !== null && candidate !== null) length += candidateLength(duty.team, candidate);
  if (to.planNode !== undefined) length += configLength(to.planNode);
  const policies = withInstructions(to.policies);
  if (policies.length === 0) return length;
  for (const policy of dispatchPolicies({ ...to, policies })) length += policyLength(policy);
  return length;
}

/** Sent to every agent that receives instructions. */
const GUARDRAILS_LENGTH = renderInstructions(sentInstructions("model", [])).length;

const GAP = "\n\n";

function lengthOf(layers: readonly InstructionLayer[]): number {
  return layers.reduce((sum, layer) => sum + GAP.length + renderInstructions([layer]).length, 0);
}

const AGENT_LENGTHS = new WeakMap<Agent, number>();

function agentLength(agent: Agent): number {
  let length = AGENT_LENGTHS.get(agent);
  if (length === undefined) {
    length = lengthOf(agentLayers({ agent, agentId: agent.id })) + memoryLengthMax(agent);
    AGENT_LENGTHS.set(agent, length);
  }
  return length;
}

/** `- `, a minute, a run, a node, 500 characters of up to two code units each, the cut mark, and a line break. */
const MEMORY_LINE_LENGTH_MAX = 2 + 20 + 1 + 128 + 1 + 80 + 2 + 1_001 + 1;

function memoryLengthMax({ id, memoryProfile }: Agent): number {
  if (memoryProfile === null) return 0;
  return lengthOf([memoryLayer(id, memoryProfile.name, [])]) + memoryProfile.entries * MEMORY_LINE_LENGTH_MAX;
}

const CANDIDATE_LENGTHS = new WeakMap<Candidate, number>();

function candidateLength(team: string, candidate: Candidate): number {
  let length = CANDIDATE_LENGTHS.get(candidate);
  if (length === undefined) {
    length = lengthOf([...teamLayers(team, candidate), ...patchLayers(team, candidate)]);
    CANDIDATE_LENGTHS.set(candidate, length);
  }
  return length;
}

const CONFIG_LENGTHS = new WeakMap<PlanNode, number>();

function configLength(node: PlanNode): number {
  let length = CONFIG_LENGTHS.get(node);
  if (length === undefined) CONFIG_LENGTHS.set(node, (length = lengthOf(configLayers(node))));
  return length;
}

const POLICY_LENGTHS = new WeakMap<Policy, number>();

function policyLength(policy: Policy): number {
  let length = POLICY_LENGTHS.get(policy);
  if (length === undefined) {
    const layer = policyLayer(policy);
    POLICY_LENGTHS.set(policy, (length = layer === null ? 0 : lengthOf([layer])));
  }
  return length;
}

const WITH_INSTRUCTIONS = new WeakMap<readonly Policy[], readonly Policy[]>();

/** Policies with instructions. Most policies only allow or forbid, and have no text. */
function withInstructions(policies: readonly Policy[]): readonly Policy[] {
  let found = WITH_INSTRUCTIONS.get(policies);
  if (found === undefined)
    WITH_INSTRUCTIONS.set(policies, (found = policies.filter(({ instructions }) => instructions !== null)));
  return found;
}
