import { getOwn, matchesGlob } from "../core/base/index.ts";
import { toolNameOf } from "../core/definition/index.ts";
import type { RequestRoundVerdict, RequestToolVerdict, Route } from "../core/engine/index.ts";
import {
  type Agent,
  boundsOf,
  type GatewayFact,
  type Grant,
  nextRoundMicros,
  profileOf,
  type RateWindow,
  rateWindowOf,
  type RoundFacts,
  type RunFact,
  type Tool,
  type CallFacts,
  type CallProfile,
  type ToolRateFact,
} from "../core/governance/index.ts";
import { DEFAULT_AGENT_ID, type RequestHints } from "../core/plan/index.ts";
import type { GatewayView } from "../gateway/index.ts";
import type { Reservation } from "../store/index.ts";
import { agentBudgetOf, envelopesOf, roleBound } from "./envelopes.ts";
import { nodeFactOf, planNodeOf } from "./facts.ts";
import { gatewayFactOf, turnsAt } from "./gateway-fact.ts";
import type { AboutRun } from "./judge.ts";
import { isPricedProvider, priceOf } from "./price-of.ts";
import type { Registered } from "./registered.ts";
import type { Tally } from "./tally.ts";
import { toolCounter } from "./turn-ruling.ts";

/** The sources of the facts about a turn. */
export interface TurnScene {
  readonly about: AboutRun;
  readonly registered: Registered;
  /** The gateway that the attempt was sent to; undefined when it no longer exists. */
  readonly gateway: GatewayView | undefined;
  readonly tally: Tally;
}

export interface GatheredTool {
  readonly facts: CallFacts;
  readonly profile: CallProfile;
  /** The windows in which a call needs a place. */
  readonly windows: readonly CallWindow[];
}

export interface CallWindow {
  readonly counter: string;
  readonly rate: RateWindow;
}

/** Default when the gateway does not specify it: an adapter that asks about calls is at least "judged". */
const ASKING = "judged";

export function gatherToolFacts(scene: TurnScene, request: RequestToolVerdict): GatheredTool {
  const { about, registered, gateway } = scene;
  const { call, hints, route } = request;
  const { agentId, agent } = actorOf(scene, route);
  const name = toolNameOf(call);
  const server = call.server ?? null;
  const profile = profileOf({ name, server, hints: call.hints }, hints.toolActions, registered.tools);
  const { rates, windows } = windowsOf(scene, profile.rules, agentId, request.heldAt);
  const facts: CallFacts = {
    at: about.at,
    platform: registered.platform,
    ...sceneFacts(scene, request),
    agentId,
    agent,
    turns: turnsAt(gateway ?? null, route.provider) ?? ASKING,
    tool: {
      callId: request.callId,
      name,
      server,
      action: profile.action,
      effects: profile.effects,
      args: call.args,
      argsDigest: request.argsDigest,
      round: request.round,
      calls: request.callsBefore,
      repeats: request.repeatsBefore,
      isApproved: request.isApproved,
    },
    rules: profile.rules,
    rates,
    bounds: boundsOf(hints.turn, agent?.turn ?? null),
    policies: registered.policies,
    grants: grantsFor(registered, about.runId, agentId, name),
  };
  return { facts, profile, windows };
}

/** `held`: reservations of the open attempt, which are given back in exchange for those of the next round. */
export function gatherRoundFacts(
  scene: TurnScene,
  request: RequestRoundVerdict,
  held: readonly Reservation[],
): RoundFacts {
  const { about, registered, gateway } = scene;
  const { hints, route, rounds, extraRounds, contextTokens } = request;
  const { agentId, agent } = actorOf(scene, route);
  const { provider, model } = route;
  const { gateway: _known, ...facts } = sceneFacts(scene, request);
  const sources = { models: registered.models, ofAdapter: getOwn(gateway?.models ?? {}, provider ?? "")?.prices };
  const call = {
    estimatedCostMicros: hints.estimatedCostMicros,
    price: priceOf(sources, { provider, model, at: about.at }),
    isPriced: isPricedProvider(provider),
    promptCharacters: 0,
    contextTokens,
    maxOutputTokens: null,
  };
  return {
    at: about.at,
    ...facts,
    agentId,
    rounds,
    extraRounds,
    bounds: boundsOf(hints.turn, agent?.turn ?? null),
    agentBudget: agent === null ? null : agentBudgetOf(scene, agent, roleBound(hints, agentId, scene), held),
    envelopes: envelopesOf(scene, { gateway: route.gatewayId, agent: agentId }, held),
    estimateMicros: nextRoundMicros(call),
  };
}

function actorOf(
  { registered }: TurnScene,
  { agentId }: Route,
): { readonly agentId: string; readonly agent: Agent | null } {
  const id = agentId ?? DEFAULT_AGENT_ID;
  return { agentId: id, agent: registered.agents.get(id) ?? null };
}

interface AboutNode {
  readonly nodeId: string;
  readonly hints: RequestHints;
  readonly route: Route;
}

/** Returns the facts about the gateway, node and run. */
function sceneFacts(
  { about, gateway }: TurnScene,
  request: AboutNode,
): Pick<CallFacts, "gateway" | "node" | "run" | "role"> {
  const { hints, route } = request;
  const found: GatewayFact | null = gateway === undefined ? null : gatewayFactOf(gateway);
  const run: RunFact = {
    runId: about.runId,
    workflow: about.workflow,
    depth: about.depth,
    environment: about.placement?.environment ?? found?.environment ?? null,
    args: about.args,
  };
  return {
    gateway: found,
    node: nodeFactOf(request, planNodeOf({ request, about }), route.provider, route.model),
    run,
    role: hints.role === null ? null : { name: hints.role, skills: [] },
  };
}

/**
 * Returns the windows in which manifests count the calls of an agent, and how full they are. A window that has counted
 * this call since it was held does not count it again.
 */
export function windowsOf(
  { tally, about }: Pick<TurnScene, "tally" | "about">,
  rules: readonly Tool[],
  agentId: string,
  heldAt?: number,
): { readonly rates: readonly ToolRateFact[]; readonly windows: readonly CallWindow[] } {
  const rates: ToolRateFact[] = [];
  const windows: CallWindow[] = [];
  for (const { id, rate } of rules) {
    if (rate === null) continue;
    const window = { counter: toolCounter(id, agentId), rate: rateWindowOf(rate) };
    const isCounted = heldAt !== undefined && about.at - heldAt < window.rate.windowMs;
    if (!isCounted) windows.push(window);
    const { count, perSeconds } = rate;
    const { used, freesAt } = tally.windowOf(window.counter, window.rate, about.at);
    rates.push({ rule: id, count, perSeconds, used: isCounted ? Math.max(0, used - 1) : used, freesAt });
  }
  return { rates, windows };
}

const NO_GRANTS: readonly Grant[] = [];

export function grantsFor({ grants }: Registered, runId: string, agentId: string, name: string): readonly Grant[] {
  if (grants.size === 0) return NO_GRANTS;
  const held = [...(grants.get(`run/${runId}`) ?? NO_GRANTS), ...(grants.get(`agent/${agentId}`) ?? NO_GRANTS)];
  return held.filter(({ tool }) => matchesGlob(tool, name));
}
