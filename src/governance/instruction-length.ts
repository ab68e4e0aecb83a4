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

/** Whom instructions are for, before a verdict. */
export interface Instructee extends Pick<DispatchFacts, "policies" | "gateway" | "agentId" | "agent" | "run"> {
  readonly provider: string | null;
  readonly planNode: PlanNode | undefined;
}

/**
 * The most characters a node's instructions may have: all instructions it could get, whether or not its policies
 * match and whatever its agent remembers by then. So a reservation made from it holds, and a simulation, which remembers
 * nothing, makes the same one. Agents, policies and teams are replaced and never changed: each is measured once.
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
  const policies = speaking(to.policies);
  if (policies.length === 0) return length;
  for (const policy of dispatchPolicies({ ...to, policies })) length += policyLength(policy);
  return length;
}

/** For every agent whose work is read at all. */
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

/** `- `, a minute, a run, a node, 500 characters that may take two places each, the mark of a cut, and a new line. */
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

const SPEAKING = new WeakMap<readonly Policy[], readonly Policy[]>();

/** Most policies allow or forbid, and have no text. */
function speaking(policies: readonly Policy[]): readonly Policy[] {
  let found = SPEAKING.get(policies);
  if (found === undefined)
    SPEAKING.set(policies, (found = policies.filter(({ instructions }) => instructions !== null)));
  return found;
}
