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
  const record = new RecordText();
  writeBody(record, judgement, facts.policies, null);
  writeFacts(facts, record);
  const bodyText = withHash(record);
  return { verdictId, nodeId, attempt, at, ...outcomeOf(judgement), bodyText, shared: record.parts };
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
  const record = new RecordText();
  writeBody(record, judgement, policies, callId);
  record.add(facts);
  return withHash(record, "whole");
}

/** All of it but the facts, which come last. */
function writeBody(record: RecordText, judgement: Judgement, policies: readonly Policy[], callId: string | null): void {
  record.add(callId === null ? '{"trail":' : `{"callId":${JSON.stringify(callId)},"trail":`);
  const trail = trailText(judgement.trail);
  // A trail with a finding is about one node.
  if (judgement.disposition === "allow" && judgement.matched.length === 0) record.share(trail);
  else record.add(trail);
  if (judgement.disposition !== "allow") record.add(`,"explanation":${JSON.stringify(judgement.explanation)}`);
  record.add(`,"matched":${JSON.stringify(judgement.matched)},"policies":`);
  record.share(policyKeysText(policies));
  record.add(',"facts":');
}

/** The hash is that of the whole text, whatever of it is kept by its name. */
function withHash(record: RecordText, as: "kept" | "whole" = "kept"): string {
  return `${record[as]},"hash":"sha256:${hash("sha256", `${record.whole}}`)}"}`;
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
