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
  nextRoundMicros,
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

/** The sources from which the facts of one verdict are gathered. */
export interface Scene {
  readonly request: RequestVerdict;
  readonly about: AboutRun;
  readonly registered: Registered;
  readonly gateways: readonly GatewayView[];
  readonly tally: Tally;
  readonly waiting: WaitingRoom;
  /** Without it, functions are routed like other nodes, as in a simulation. */
  readonly workers?: WorkerPresence | null;
  /** Limits of the organisation; absent when there are none. */
  readonly organisation?: OrganisationLimits;
}

export interface Gathered {
  /** Timeout of an attempt, from the step or from the manifest of the tool that it calls. */
  readonly timeoutMs: number | null;
  readonly facts: DispatchFacts;
  readonly route: RouteChoice;
  readonly provider: string | null;
  readonly model: string | null;
  readonly call: Estimated;
  /** The tool call that the node itself is; null for any other node. */
  readonly toolCall: GatheredCall | null;
}

const EXAMPLES_MAX = 5;
const NO_EXAMPLES: DispatchFacts["openExamples"] = [];

/** Gathers the facts that gates compare. Everything is read from memory, so this is cheap. */
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
  // The call is the same whichever adapter answers for the wanted one.
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
    estimateMicros: estimateOf(call, seen),
    // The gates judge a node that is a tool call, and a script makes no calls. So no call goes unjudged in either.
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

function estimateOf(call: Estimated, seen: string): number | null {
  if (seen === "opaque") return estimateMicros(call);
  return call.contextTokens === undefined ? firstRoundMicros(call) : nextRoundMicros(call);
}

function lower(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Counts the open attempts of a run together with those of its blocks. */
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

/** Returns the rank by priority. Within one priority, runs in progress come before new runs. */
export function rankOf({ isBegun, priority = "normal" }: AboutRun): Rank {
  return rankFor(PRIORITIES.indexOf(priority), isBegun);
}

export function agentKey(orgId: string, agentId: string): string {
  return `${orgId}/${agentId}`;
}

/** Returns the assigned agent, else the step's agent, else the agent bound to the role: by the run, a deployment, or the file. */
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

/** Returns where an agent is deployed, independent of the caller. */
function deploymentsOfAgent({ about, registered }: Scene, agentId: string): readonly AgentPlace[] {
  if (about.placement === undefined || about.placement === null) {
    return registered.deployments.filter((one) => one.isActive && one.workflow === null && one.agent === agentId);
  }
  const { agents = [] } = about.placement;
  return agents
    .filter(({ agent }) => agent === agentId)
    .map(({ gateway, environment }) => ({ gateway, environment: environment ?? null }));
}

/** Returns the assigned agent, else the step's agent, else the agent bound to the role when the run started. */
function pinnedAgentId({ hints, assignedTo }: RequestVerdict, { roleBindings = {} }: Placement): string {
  const named = assignedTo ?? hints.agent;
  if (named !== null) return named;
  return (hints.role === null ? null : own(roleBindings, hints.role)) ?? DEFAULT_AGENT_ID;
}

/** The default gateway is only preferred: a node that does not fit it runs elsewhere. */
function pinnedPlaces(
  placement: Placement,
  ofAgent: readonly AgentPlace[],
): Pick<RouteRequest, "pinned" | "deployedAt" | "preferred"> {
  const gateway = placement.gateway ?? null;
  const isDefault = placement.from === "default";
  return { ...placesOf(isDefault ? null : gateway, null, ofAgent), preferred: isDefault ? gateway : null };
}

const NOWHERE: ReadonlySet<string> = new Set();

/** Returns the only gateway where a node may run, or the several where its agent is deployed. */
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

/** Returns the limit from the role through which the agent was found. An agent that is named directly acts in no role. */
function boundOf({ request, about, registered }: Scene, agent: string): RoleBinding | null {
  const { hints, assignedTo } = request;
  if (assignedTo !== null) return null;
  return roleBound(hints, agent, { about, registered });
}

/** The prompt length is only measured when a price is known. */
function callOf({ request }: Scene, price: ModelPrice | null, to: Instructee): Estimated {
  const { provider } = to;
  const { contextTokens } = request;
  return {
    estimatedCostMicros: request.hints.estimatedCostMicros,
    price,
    isPriced: isPricedProvider(provider),
    promptCharacters: price === null ? 0 : workLength(request.request) + instructionLengthMax(to),
    maxOutputTokens: null,
    ...(contextTokens === undefined ? {} : { contextTokens }),
  };
}

function workLength({ message, stdin, inputs }: RequestVerdict["request"]): number {
  return message.length + (stdin?.length ?? 0) + JSON.stringify(inputs).length;
}

interface NodeOfRun {
  readonly request: Pick<RequestVerdict, "nodeId">;
  readonly about: Pick<AboutRun, "plan">;
}

/** Returns the node of the plan. An instance has the plan node that it was made from. */
export function planNodeOf({ request, about }: NodeOfRun): PlanNode | undefined {
  const { indexById } = about.plan;
  const { nodeId } = request;
  const index = indexById.get(nodeId) ?? indexById.get(nodeId.split("[", 1)[0] ?? nodeId);
  return index === undefined ? undefined : about.plan.nodes[index];
}

const NODE_FACTS = new WeakMap<PlanNode, NodeFact>();

/** Cached per plan node and shared by all runs of a plan, as long as provider and model are the same. Not cached for instances. */
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
