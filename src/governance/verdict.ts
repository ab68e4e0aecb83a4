import { createHash } from "node:crypto";
import { auditEntry, type AuditEntry, ENGINE_ACTOR } from "../core/audit/index.ts";
import { compareCodeUnits, type JsonObject } from "../core/base/index.ts";
import type { Instruction, RequestVerdict, Route, Verdict } from "../core/engine/index.ts";
import { factsOnRecord, type Judgement, maxOutputTokensFor, policyKey } from "../core/governance/index.ts";
import type { Gateway } from "../gateway/index.ts";
import type { StoredVerdict } from "../store/index.ts";
import type { Gathered } from "./facts.ts";
import type { AboutRun } from "./judge.ts";

const SYNC_TIMEOUT_MAX_MS = 270_000;

/** What the gates said, as the engine is told. */
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
      return {
        disposition: "allow",
        verdictId,
        route: place,
        ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
        ...(instructions.length === 0 ? {} : { instructions }),
      };
    }
    case "block": {
      const { code, message, after, waitingReason, until, pausedBy } = judgement.block;
      return {
        disposition: "block",
        verdictId,
        gate: judgement.explanation.gate,
        code,
        message,
        after,
        ...(waitingReason === undefined ? {} : { waitingReason }),
        ...(until === undefined ? {} : { until }),
        ...(pausedBy === undefined ? {} : { isPatient: true }),
        ...(after === "queue" && pausedBy === undefined ? { queuePosition: facts.waitingAhead + 1 } : {}),
      };
    }
    case "hold":
      return {
        disposition: "hold",
        verdictId,
        gate: judgement.gate,
        message: judgement.hold.message,
        agentId: facts.agentId,
        policies: judgement.hold.wanted,
        rule: judgement.hold.rule,
      };
  }
}

function routeOf(gateway: Gateway, { facts, provider, model, timeoutMs }: Gathered): Route {
  const isQuick = timeoutMs !== null && timeoutMs <= SYNC_TIMEOUT_MAX_MS;
  const isSync = facts.agent?.executionTarget === "cloud" && isQuick;
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
): StoredVerdict {
  const isBlock = judgement.disposition === "block";
  const isHold = judgement.disposition === "hold";
  const body: JsonObject = {
    trail: judgement.trail.map((entry) => ({ ...entry })),
    ...(judgement.disposition === "allow" ? {} : { explanation: judgement.explanation as unknown as JsonObject }),
    policies: facts.policies.map(policyKey).sort(compareCodeUnits),
    matched: judgement.matched.map((policy) => ({ ...policy })),
    facts: factsOnRecord(facts),
  };
  const text = JSON.stringify(body);
  const hash = `sha256:${createHash("sha256").update(text, "utf8").digest("hex")}`;
  return {
    verdictId,
    nodeId,
    attempt: judgement.disposition === "allow" ? nextAttempt : null,
    at,
    disposition: judgement.disposition,
    gate: isBlock ? judgement.explanation.gate : isHold ? judgement.gate : null,
    code: isBlock ? judgement.block.code : null,
    body: { ...body, hash },
    bodyText: `${text.slice(0, -1)},"hash":"${hash}"}`,
  };
}

/** Where there was a choice: what was chosen, and why nothing else was. */
export function routingAudit(
  { runId, at }: AboutRun,
  { nodeId }: RequestVerdict,
  { route, provider }: Gathered,
): readonly AuditEntry[] {
  if (route.kind !== "found" || route.losers.length === 0) return [];
  return [
    auditEntry({
      at,
      type: "routing.decided",
      actor: ENGINE_ACTOR,
      resource: `gateway/${route.gateway.id}`,
      run: runId,
      node: nodeId,
      detail: { provider, losers: route.losers.map((loser) => ({ ...loser })) },
    }),
  ];
}
