import type { AuditEntry } from "../core/audit/index.ts";
import { digestJson } from "../core/base/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import {
  type Judgement,
  type NodeCallFacts,
  nodeCallOf,
  nodeRateOf,
  ORGANISATION_COUNTER,
  type OrganisationLimits,
  profileOf,
  rateWindowOf,
} from "../core/governance/index.ts";
import { callAudit } from "./call-audit.ts";
import type { AboutRun } from "./judge.ts";
import type { Registered } from "./registered.ts";
import type { Tally } from "./tally.ts";
import { type CallWindow, grantsFor, windowsOf } from "./tool-facts.ts";
import type { TurnTaking } from "./turn-ruling.ts";

/** The tool call that a node itself is, with the registered data about the tool. */
export interface GatheredCall {
  readonly facts: NodeCallFacts;
  /** Timeout from the manifests; null when none sets one. */
  readonly timeoutMs: number | null;
  readonly windows: readonly CallWindow[];
}

export interface CallScene {
  readonly request: RequestVerdict;
  readonly about: AboutRun;
  readonly registered: Registered;
  readonly tally: Tally;
}

/** The agent, provider and model of the node. */
export interface CallRoute {
  readonly agentId: string;
  readonly provider: string | null;
  readonly model: string | null;
}

/** Null when the node is not a tool call. */
export function gatherNodeCall(scene: CallScene, { agentId, provider, model }: CallRoute): GatheredCall | null {
  const { request, about, registered } = scene;
  const { hints, nodeId, epoch } = request;
  const { message, stdin, inputs } = request.request;
  const call = nodeCallOf({ provider, ownModel: hints.model, model, message, stdin, inputs });
  if (call === null) return null;
  const { name, server, args } = call;
  // The action kind of the node is the minimum for the action kind of its call.
  const profile = profileOf({ name, server }, [{ name: "*", action: hints.action }], registered.tools);
  const { rates, windows } = windowsOf(scene, profile.rules, agentId);
  const tool: NodeCallFacts["tool"] = {
    callId: `${about.runId}/${nodeId}/${epoch}`,
    name,
    server,
    action: profile.action,
    effects: profile.effects,
    args,
    argsDigest: digestJson(args),
    round: 0,
    calls: 0,
    repeats: 0,
    isApproved: false,
  };
  const toolGrants = grantsFor(registered, about.runId, agentId, name);
  return { facts: { tool, rules: profile.rules, rates, toolGrants }, timeoutMs: profile.timeoutMs, windows };
}

/**
 * Takes the places of an allowed node in the windows of its organisation and of the tool that it calls. They count at
 * once. Null when no window applies.
 */
export function takeCall(
  { tally, about, organisation }: Pick<CallScene, "tally" | "about"> & { readonly organisation: OrganisationLimits },
  call: GatheredCall | null,
): TurnTaking | null {
  const rate = nodeRateOf(organisation);
  const ofAll = rate === null ? [] : [{ counter: ORGANISATION_COUNTER, rate: rateWindowOf(rate) }];
  const windows = call === null ? ofAll : [...ofAll, ...call.windows];
  if (windows.length === 0) return null;
  const hits = windows.map((one) => ({ ...one, at: tally.hitAt(one.counter, about.at) }));
  const taken: TurnTaking = { hits, reserved: [] };
  tally.takeInTurn(taken);
  return taken;
}

/** Returns the audit entry for the call. It identifies the args by digest, as for calls of a turn. */
export function nodeCallAudit(
  { runId, at }: AboutRun,
  { nodeId, nextAttempt }: RequestVerdict,
  { facts: { tool } }: GatheredCall,
  judgement: Judgement,
  { agentId, verdictId }: { readonly agentId: string; readonly verdictId: string },
): AuditEntry {
  const { disposition } = judgement;
  return callAudit({ runId, at, nodeId }, tool, {
    attempt: nextAttempt,
    callId: tool.callId,
    round: tool.round,
    argsDigest: tool.argsDigest,
    agentId,
    disposition: disposition === "block" ? "deny" : disposition,
    verdictId,
    ...(disposition === "allow" ? {} : { gate: judgement.explanation.gate }),
    ...(disposition === "block" ? { code: judgement.block.code } : {}),
    ...(disposition === "hold" ? { policies: judgement.hold.wanted } : {}),
  });
}
