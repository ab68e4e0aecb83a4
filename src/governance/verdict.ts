import { hash } from "node:crypto";
import { auditEntry, type AuditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import { compareCodeUnits } from "../core/base/index.ts";
import type { Instruction, RequestVerdict, Route, Verdict } from "../core/engine/index.ts";
import {
  type Judgement,
  maxOutputTokensFor,
  type Policy,
  policyKey,
  RecordText,
  writeFacts,
} from "../core/governance/index.ts";
import type { GatewayView } from "../gateway/index.ts";
import type { NewVerdict } from "../store/index.ts";
import type { Gathered } from "./facts.ts";
import type { AboutRun } from "./judge.ts";

const SYNC_TIMEOUT_MAX_MS = 270_000;

/** Converts the result of the gates to the verdict for the engine. */
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

/** Returns the hold that a person has to answer, for a node or a tool call. */
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

/** Returns the verdict as stored: with its facts, so that it can be explained and replayed. */
export function recordOf(
  judgement: Judgement,
  { nodeId, nextAttempt }: RequestVerdict,
  { facts }: Gathered,
  at: number,
  verdictId: string,
): NewVerdict {
  const attempt = judgement.disposition === "allow" ? nextAttempt : null;
  const record = new RecordText();
  writeBody(record, judgement, facts.policies, null);
  writeFacts(facts, record);
  const bodyText = withHash(record);
  return { verdictId, nodeId, attempt, at, ...outcomeOf(judgement), bodyText, shared: record.parts };
}

/** The columns stored next to the body of a verdict. */
export function outcomeOf(judgement: Judgement): Pick<NewVerdict, "disposition" | "gate" | "code"> {
  const isBlock = judgement.disposition === "block";
  return {
    disposition: judgement.disposition,
    gate: judgement.disposition === "allow" ? null : judgement.explanation.gate,
    code: isBlock ? judgement.block.code : null,
  };
}

/** `callId`: the tool call judged; null when the node itself was judged. */
export function bodyTextOf(
  judgement: Judgement,
  policies: readonly Policy[],
  facts: string,
  callId: string | null = null,
): string {
  const record = new RecordText();
  writeBody(record, judgement, policies, callId);
  record.add(facts);
  return withHash(record, "whole");
}

/** Writes the body without the facts, which come last. */
function writeBody(record: RecordText, judgement: Judgement, policies: readonly Policy[], callId: string | null): void {
  record.add(callId === null ? '{"trail":' : `{"callId":${JSON.stringify(callId)},"trail":`);
  const trail = trailText(judgement.trail);
  // A trail with a finding is specific to one node, so it is not shared.
  if (judgement.disposition === "allow" && judgement.matched.length === 0) record.share(trail);
  else record.add(trail);
  if (judgement.disposition !== "allow") record.add(`,"explanation":${JSON.stringify(judgement.explanation)}`);
  record.add(`,"matched":${JSON.stringify(judgement.matched)},"policies":`);
  record.share(policyKeysText(policies));
  record.add(',"facts":');
}

/** The hash covers the whole text, including parts that are stored shared by name. */
function withHash(record: RecordText, as: "kept" | "whole" = "kept"): string {
  return `${record[as]},"hash":"sha256:${hash("sha256", `${record.whole}}`)}"}`;
}

const TRAIL_TEXTS = new WeakMap<Judgement["trail"], string>();

/** Cached, because all verdicts without a finding have the same trail. */
function trailText(trail: Judgement["trail"]): string {
  let text = TRAIL_TEXTS.get(trail);
  if (text === undefined) TRAIL_TEXTS.set(trail, (text = JSON.stringify(trail)));
  return text;
}

const KEY_TEXTS = new WeakMap<readonly Policy[], string>();

/** All policies by name and version. Written once for all verdicts with the same policies. */
function policyKeysText(policies: readonly Policy[]): string {
  let text = KEY_TEXTS.get(policies);
  if (text === undefined) {
    text = JSON.stringify(policies.map(policyKey).sort(compareCodeUnits));
    KEY_TEXTS.set(policies, text);
  }
  return text;
}

/** Returns an audit entry when there was a choice of gateways: the chosen one, and why the others were not. */
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
