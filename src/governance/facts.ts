import { getOwn } from "../core/base/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import { type Placement, PRIORITIES } from "../core/event/index.ts";
import {
  type Deployment,
  type DispatchFacts,
  type ModelPrice,
  type NodeFact,
  type Estimated,
  estimateMicros,
  firstRoundMicros,
  type OrganisationLimits,
  type RoleBinding,
  type RunFact,
} from "../core/governance/index.ts";
import { DEFAULT_AGENT_ID, type PlanNode } from "../core/plan/index.ts";
import { chooseRoute, type GatewayView, type RouteChoice, type RouteRequest } from "../gateway/index.ts";
import { organisationRateOf, rateOf } from "./rate-facts.ts";
import { agentBudgetOf, envelopesOf, roleBound } from "./envelopes.ts";
import { gatewayFactOf, turnsAt } from "./gateway-fact.ts";
import { type Instructee, instructionLengthMax } from "./instruction-length.ts";
import type { AboutRun } from "./judge.ts";
import { type GatheredCall, gatherNodeCall } from "./node-call.ts";
import { isPricedProvider, priceOf } from "./price-of.ts";
import type { Registered } from "./registered.ts";
import type { Tally } from "./tally.ts";
import { runCounter } from "../store/index.ts";
import { rankFor, type Rank } from "./agent-queue.ts";
import { type WorkerPresence, workerRoute } from "./worker-route.ts";
import type { WaitingRoom } from "./waiting-room.ts";

/** Everything the facts of one verdict are made of. */
export interface Scene {
  readonly request: RequestVerdict;
  readonly about: AboutRun;
  readonly registered: Registered;
  readonly gateways: readonly GatewayView[];
  readonly tally: Tally;
  readonly waiting: WaitingRoom;
  /** Without it functions are answered by whatever answers, as in a simulation. */
  readonly workers?: WorkerPresence | null;
  /** What the organisation may take; absent: as much as it likes. */
  readonly organisation?: OrganisationLimits;
}

export interface Gathered {
  /** Of an attempt, as the step says or a manifest of the tool that it calls. */
  readonly timeoutMs: number | null;
  readonly facts: DispatchFacts;
  readonly route: RouteChoice;
  readonly provider: string | null;
  readonly model: string | null;
  readonly call: Estimated;
  /** The tool call that the node itself is; null: it is none. */
  readonly toolCall: GatheredCall | null;
}

const EXAMPLES_MAX = 5;
const NO_EXAMPLES: DispatchFacts["openExamples"] = [];

/** What gates will compare: read from memory, so that asking costs next to nothing. */
export function gatherFacts(scene: Scene): Gathered {
  const { request, about, registered, gateways, tally, waiting } = scene;
  const { hints } = request;
  const planNode = planNodeOf(scene);
  const placement = about.placement ?? null;
  const ofWorkflow = placement === null ? deploymentOf(registered.deployments, about.workflow) : null;
  const agentId = placement === null ? agentIdOf(scene, ofWorkflow) : pinnedAgentId(request, placement);
  const ofAgent = ofWorkflow === null ? deploymentsOfAgent(scene, agentId) : [];
  const agent = registered.agents.get(agentId) ?? null;
  const wanted = hints.provider ?? agent?.provider ?? null;
  const { capabilities } = hints;
  const places = placement === null ? placesOf(about.gateway, ofWorkflow, ofAgent) : pinnedPlaces(placement, ofAgent);
  const mayReroute = about.plan.gateway === "any";
  const ofWorkers = workerRoute(planNode, about.orgId, scene.workers ?? null);
  const route = ofWorkers ?? chooseRoute(gateways, { ...places, mayReroute, provider: wanted, capabilities });
  const gateway = route.kind === "found" ? route.gateway : null;
  const deployment = ofWorkflow ?? ofAgent.find((one) => one.gateway === gateway?.id) ?? ofAgent[0] ?? null;
  const provider = route.kind === "found" ? route.provider : wanted;
  const ofAdapter = getOwn(gateway?.models ?? {}, provider ?? "");
  const named = hints.model ?? about.model ?? about.plan.model ?? agent?.model ?? null;
  const model = ofWorkers === undefined ? (named ?? ofAdapter?.defaultModel ?? null) : null;
  const { runId, at } = about;
  const seen = turnsAt(gateway, provider) ?? "opaque";
  const gatewayFact = gateway === null ? null : gatewayFactOf(gateway);
  const run: RunFact = {
    runId,
    workflow: about.workflow,
    depth: about.depth,
    environment: placement?.environment ?? deployment?.environment ?? gateway?.environment ?? null,
    args: about.args,
  };
  const { policies } = registered;
  const sources = { models: registered.models, ofAdapter: ofAdapter?.prices };
  const price = priceOf(sources, { provider, model, at });
  const call = callOf(scene, price, { policies, gateway: gatewayFact, agentId, agent, run, provider, planNode });
  const { nodeId } = request;
  const waitingAhead = waiting.ahead(agentKey(about.orgId, agentId), { runId, nodeId }, rankOf(about));
  const openAttempts = tally.openOf(agentId) - (about.returned?.slotsOf(agentId) ?? 0);
  const isBusy = agent !== null && openAttempts + waitingAhead >= agent.maxConcurrent;
  // Whichever adapter stands in for the one that is wanted, what it is asked for is the same call.
  const toolCall = gatherNodeCall(scene, { agentId, provider: wanted ?? provider, model });
  const facts: DispatchFacts = {
    at,
    platform: registered.platform,
    gateway: gatewayFact,
    noGateway: route.kind === "none" ? route.message : null,
    agentId,
    agent,
    role: hints.role === null ? null : { name: hints.role, skills: [] },
    openAttempts,
    openExamples: isBusy ? tally.holdersOf(agentId, EXAMPLES_MAX) : NO_EXAMPLES,
    waitingAhead,
    ...parallelOf(scene),
    rate: rateOf(tally, agent, at, waitingAhead),
    ...organisationRateOf(scene, waitingAhead),
    agentBudget: agent === null ? null : agentBudgetOf(scene, agent, boundOf(scene, agent.id)),
    envelopes: envelopesOf(scene, { gateway: ofWorkers === undefined ? (gateway?.id ?? null) : null, agent: agentId }),
    estimateMicros: seen === "opaque" ? estimateMicros(call) : firstRoundMicros(call),
    // A node that is a tool call is judged with it, and a script calls nothing: no call in either goes unseen.
    turns: toolCall === null && planNode?.kind !== "script" ? seen : "judged",
    node: nodeFactOf(request, planNode, provider, model),
    run,
    policies,
    grants: request.grants,
    ...(toolCall === null ? {} : { call: toolCall.facts }),
  };
  const timeoutMs = lower(planNode?.timeoutMs ?? null, toolCall?.timeoutMs ?? null);
  return { facts, route, provider, model, call, timeoutMs, toolCall };
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** What a run and its blocks have open together. */
function parallelOf({ request, about, tally, waiting }: Scene): Pick<DispatchFacts, "parallel"> {
  const { parallel, orgId, runId, returned } = about;
  if (parallel === undefined) return {};
  const counter = runCounter(parallel.runId);
  const waiter = { runId, nodeId: request.nodeId };
  const open = tally.openOf(counter) - (returned?.slotsOf(counter) ?? 0);
  return {
    parallel: { ...parallel, open, waitingAhead: waiting.ahead(agentKey(orgId, counter), waiter, rankOf(about)) },
  };
}

/** By priority, and within one what is in flight before what is new. */
export function rankOf({ isBegun, priority = "normal" }: AboutRun): Rank {
  return rankFor(PRIORITIES.indexOf(priority), isBegun);
}

export function agentKey(orgId: string, agentId: string): string {
  return `${orgId}/${agentId}`;
}

/** The agent it was assigned to, else the step's, else the one its role is bound to: by the run, a deployment, the file. */
function agentIdOf({ request, about, registered }: Scene, deployment: Deployment | null): string {
  const { hints, assignedTo } = request;
  if (assignedTo !== null) return assignedTo;
  if (hints.agent !== null) return hints.agent;
  if (hints.role === null) return DEFAULT_AGENT_ID;
  const { role } = hints;
  const binding =
    registered.bindings.find((one) => one.role === role && one.workflow === about.workflow) ??
    registered.bindings.find((one) => one.role === role && one.workflow === null);
  return (
    own(about.roleBindings, role) ??
    own(deployment?.roleBindings ?? {}, role) ??
    binding?.agent ??
    own(about.plan.agentByRole, role) ??
    DEFAULT_AGENT_ID
  );
}

function own(map: Readonly<Record<string, string | null>>, key: string): string | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}

function deploymentOf(deployments: readonly Deployment[], workflow: string): Deployment | null {
  return deployments.find((one) => one.isActive && one.workflow === workflow) ?? null;
}

type AgentPlace = Pick<Deployment, "gateway" | "environment">;

/** Where an agent works, independent of the caller. */
function deploymentsOfAgent({ about, registered }: Scene, agentId: string): readonly AgentPlace[] {
  if (about.placement === undefined || about.placement === null) {
    return registered.deployments.filter((one) => one.isActive && one.workflow === null && one.agent === agentId);
  }
  const { agents = [] } = about.placement;
  return agents
    .filter(({ agent }) => agent === agentId)
    .map(({ gateway, environment }) => ({ gateway, environment: environment ?? null }));
}

/** The agent it was assigned to, else the step's agent, else the one its role was bound to when the run started. */
function pinnedAgentId({ hints, assignedTo }: RequestVerdict, { roleBindings = {} }: Placement): string {
  const named = assignedTo ?? hints.agent;
  if (named !== null) return named;
  return (hints.role === null ? null : own(roleBindings, hints.role)) ?? DEFAULT_AGENT_ID;
}

/** The default gateway is a preference, not a must: it takes what fits it. */
function pinnedPlaces(
  placement: Placement,
  ofAgent: readonly AgentPlace[],
): Pick<RouteRequest, "pinned" | "deployedAt" | "preferred"> {
  const gateway = placement.gateway ?? null;
  const isDefault = placement.from === "default";
  return { ...placesOf(isDefault ? null : gateway, null, ofAgent), preferred: isDefault ? gateway : null };
}

const NOWHERE: ReadonlySet<string> = new Set();

/** The one place a node may run at, or the several at which its agent is deployed. */
function placesOf(
  gateway: string | null,
  ofWorkflow: Deployment | null,
  ofAgent: readonly AgentPlace[],
): Pick<RouteRequest, "pinned" | "deployedAt"> {
  if (ofAgent.length === 0) return { pinned: gateway ?? ofWorkflow?.gateway ?? null, deployedAt: NOWHERE };
  const deployedAt = new Set(ofAgent.map((one) => one.gateway));
  const [only] = deployedAt;
  const pinned = gateway ?? ofWorkflow?.gateway ?? (deployedAt.size === 1 ? only : undefined) ?? null;
  return { pinned, deployedAt: pinned === null ? deployedAt : NOWHERE };
}

/** The bound of the role a node's agent was found through; an agent named directly acts in no role. */
function boundOf({ request, about, registered }: Scene, agent: string): RoleBinding | null {
  const { hints, assignedTo } = request;
  if (assignedTo !== null) return null;
  return roleBound(hints, agent, { about, registered });
}

/** Lengths are not measured where no price is known. */
function callOf({ request }: Scene, price: ModelPrice | null, to: Instructee): Estimated {
  const { provider } = to;
  return {
    estimatedCostMicros: request.hints.estimatedCostMicros,
    price,
    isPriced: isPricedProvider(provider),
    promptCharacters: price === null ? 0 : workLength(request.request) + instructionLengthMax(to),
    maxOutputTokens: null,
  };
}

function workLength({ message, stdin, inputs }: RequestVerdict["request"]): number {
  return message.length + (stdin?.length ?? 0) + JSON.stringify(inputs).length;
}

interface NodeOfRun {
  readonly request: Pick<RequestVerdict, "nodeId">;
  readonly about: Pick<AboutRun, "plan">;
}

/** An instance runs the text of its node. */
export function planNodeOf({ request, about }: NodeOfRun): PlanNode | undefined {
  const { indexById } = about.plan;
  const { nodeId } = request;
  const index = indexById.get(nodeId) ?? indexById.get(nodeId.split("[", 1)[0] ?? nodeId);
  return index === undefined ? undefined : about.plan.nodes[index];
}

const NODE_FACTS = new WeakMap<PlanNode, NodeFact>();

/** The same for every run of a plan, for as long as the node goes to the same place; instances have ids of their own. */
export function nodeFactOf(
  { nodeId, hints }: Pick<RequestVerdict, "nodeId" | "hints">,
  node: PlanNode | undefined,
  provider: string | null,
  model: string | null,
): NodeFact {
  const known = node === undefined ? undefined : NODE_FACTS.get(node);
  if (known !== undefined && known.id === nodeId && known.provider === provider && known.model === model) return known;
  const fact: NodeFact = {
    id: nodeId,
    kind: node?.kind ?? "agent",
    action: hints.action,
    phase: node?.phase ?? null,
    provider,
    model,
    tools: hints.tools,
    contextSources: hints.contextSources,
  };
  if (node !== undefined && nodeId === node.id) NODE_FACTS.set(node, fact);
  return fact;
}
