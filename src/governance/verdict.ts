import { hash } from "node:crypto";
import { auditEntry, type AuditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import { compareCodeUnits } from "../core/base/index.ts";
import type { Instruction, RequestVerdict, Route, Verdict } from "../core/engine/index.ts";
import {
  factsText,
  type Judgement,
  maxOutputTokensFor,
  type Policy,
  policyKey,
  sharedText,
  type SharedTexts,
} from "../core/governance/index.ts";
import type { GatewayView } from "../gateway/index.ts";
import type { NewVerdict } from "../store/index.ts";
import type { Gathered } from "./facts.ts";
import type { AboutRun } from "./judge.ts";

const SYNC_TIMEOUT_MAX_MS = 270_000;

/** The result of the gates, as the engine receives it. */
export function verdictOf(
  judgement: Judgement,
  gathered: Gathered,
  verdictId: string,
  instructions: readonly Instruction[] = [],
): Verdict {
  const { facts, route } = gathered;
  switch (judgement.disposition) {
    case "allow": {
      if (route.kind !== "found") throw new Error("nothing is allowed that has no place to run at");
      const maxOutputTokens = maxOutputTokensFor(gathered.call, facts.estimateMicros);
      const place = routeOf(route.gateway, gathered);
      const limitMs = gathered.toolCall?.timeoutMs ?? null;
      return {
        disposition: "allow",
        verdictId,
        route: place,
        ...(route.reroutedFrom === undefined ? {} : { reroutedFrom: route.reroutedFrom }),
        ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
        ...(limitMs === null ? {} : { timeoutMs: limitMs }),
        ...(gathered.toolCall?.facts.tool.effects === "at_most_once" ? { effects: "at_most_once" as const } : {}),
        ...(instructions.length === 0 ? {} : { instructions }),
      };
    }
    case "block": {
      const { code, message, after, waitingReason, until, pausedBy, isOfRun } = judgement.block;
      const isPatient = pausedBy !== undefined || isOfRun === true;
      return {
        disposition: "block",
        verdictId,
        gate: judgement.explanation.gate,
        code,
        message,
        after,
        ...(waitingReason === undefined ? {} : { waitingReason }),
        ...(until === undefined ? {} : { until }),
        ...(isPatient ? { isPatient: true } : {}),
        ...(after === "queue" && pausedBy === undefined ? { queuePosition: aheadOf(facts, isOfRun) + 1 } : {}),
      };
    }
    case "hold":
      return {
        verdictId,
        ...heldBy(judgement, facts, gathered, facts.estimateMicros),
      };
  }
}

/** What a person is asked, for a node as for a call of a tool. */
export function heldBy(
  { gate, hold }: Extract<Judgement, { disposition: "hold" }>,
  { agentId, agent }: Pick<Gathered["facts"], "agentId" | "agent">,
  { provider, model }: Pick<Gathered, "provider" | "model">,
  estimateMicros: number | null,
) {
  const { message, wanted: policies, rule, reasons } = hold;
  const facts = { provider, model, trust: agent?.trustLevel ?? null, estimateMicros, reasons };
  return { disposition: "hold", gate, message, agentId, policies, rule, facts } as const;
}

function aheadOf({ waitingAhead, parallel }: Gathered["facts"], isOfRun = false): number {
  return isOfRun && parallel !== undefined ? parallel.waitingAhead : waitingAhead;
}

function routeOf(gateway: GatewayView, { facts, provider, model, timeoutMs }: Gathered): Route {
  const isQuick = timeoutMs !== null && timeoutMs <= SYNC_TIMEOUT_MAX_MS;
  const isSync = facts.agent?.executionTarget === "cloud" && isQuick;
  if (gateway.workerFor !== undefined)
    return { agentId: facts.agentId, gatewayId: null, provider, model: null, executionPath: "async" };
  return {
    agentId: facts.agentId,
    gatewayId: gateway.id,
    provider,
    model,
    executionPath: gateway.isLocal ? "edge" : isSync ? "sync" : "async",
  };
}

/** The same as it is kept: with its facts, so that it can be explained and replayed. */
export function recordOf(
  judgement: Judgement,
  { nodeId, nextAttempt }: RequestVerdict,
  { facts }: Gathered,
  at: number,
  verdictId: string,
): NewVerdict {
  const attempt = judgement.disposition === "allow" ? nextAttempt : null;
  const hex = hashOf(contentOf(judgement, facts.policies, factsText(facts)));
  const shared: SharedTexts = new Map();
  const bodyText = withHash(contentOf(judgement, facts.policies, factsText(facts, shared), null, shared), hex);
  return { verdictId, nodeId, attempt, at, ...outcomeOf(judgement), bodyText, shared };
}

/** What of a judgement is listed beside its body. */
export function outcomeOf(judgement: Judgement): Pick<NewVerdict, "disposition" | "gate" | "code"> {
  const isBlock = judgement.disposition === "block";
  return {
    disposition: judgement.disposition,
    gate: judgement.disposition === "allow" ? null : judgement.explanation.gate,
    code: isBlock ? judgement.block.code : null,
  };
}

/** `callId`: of the tool call it is about; null: it is about the node itself. */
export function bodyTextOf(
  judgement: Judgement,
  policies: readonly Policy[],
  facts: string,
  callId: string | null = null,
): string {
  const text = contentOf(judgement, policies, facts, callId);
  return withHash(text, hashOf(text));
}

function contentOf(
  judgement: Judgement,
  policies: readonly Policy[],
  facts: string,
  callId: string | null = null,
  shared: SharedTexts | null = null,
): string {
  const explanation =
    judgement.disposition === "allow" ? "" : `"explanation":${JSON.stringify(judgement.explanation)},`;
  const call = callId === null ? "" : `"callId":${JSON.stringify(callId)},`;
  const trail = trailText(judgement.trail);
  // A trail with a finding is about one node.
  const isPlain = shared !== null && judgement.disposition === "allow" && judgement.matched.length === 0;
  const head = `${call}"trail":${isPlain ? sharedText(trail, shared) : trail},${explanation}"matched":${JSON.stringify(judgement.matched)}`;
  return `{${head},"policies":${sharedText(policyKeysText(policies), shared)},"facts":${facts}}`;
}

/** Of the whole text, whatever of it is shared. */
function hashOf(text: string): string {
  return hash("sha256", text);
}

function withHash(text: string, hex: string): string {
  return `${text.slice(0, -1)},"hash":"sha256:${hex}"}`;
}

const TRAIL_TEXTS = new WeakMap<Judgement["trail"], string>();

/** Where no gate had a finding, one trail stands for all. */
function trailText(trail: Judgement["trail"]): string {
  let text = TRAIL_TEXTS.get(trail);
  if (text === undefined) TRAIL_TEXTS.set(trail, (text = JSON.stringify(trail)));
  return text;
}

const KEY_TEXTS = new WeakMap<readonly Policy[], string>();

/** Every policy there was, by name and version: written out once for all verdicts under the same ones. */
function policyKeysText(policies: readonly Policy[]): string {
  let text = KEY_TEXTS.get(policies);
  if (text === undefined) {
    text = JSON.stringify(policies.map(policyKey).sort(compareCodeUnits));
    KEY_TEXTS.set(policies, text);
  }
  return text;
}

/** Where there was a choice: what was chosen, and why nothing else was. */
export function routingAudit(
  { runId, at }: AboutRun,
  { nodeId }: RequestVerdict,
  { route, provider }: Gathered,
): readonly AuditEntry[] {
  if (route.kind !== "found" || (route.losers.length === 0 && route.reroutedFrom === undefined)) return [];
  const { reroutedFrom } = route;
  return [
    auditEntry({
      at,
      type: "routing.decided",
      actor: ENGINE_ACTOR,
      resource: `gateway/${route.gateway.id}`,
      run: runId,
      node: nodeId,
      detail: {
        provider,
        losers: route.losers.map((loser) => ({ ...loser })),
        ...(reroutedFrom === undefined ? {} : { reroutedFrom }),
      },
    }),
  ];
}
