import type { AuditEntry } from "../core/audit/index.ts";
import type { RequestRoundVerdict, RequestToolVerdict, RoundVerdict, ToolVerdict } from "../core/engine/index.ts";
import {
  agentEnvelopeId,
  judgeRound,
  judgeTool,
  type Judgement,
  roundFactsText,
  toolFactsText,
} from "../core/governance/index.ts";
import type { Reservation } from "../store/index.ts";
import { reservedFor } from "./booking.ts";
import { callAudit } from "./call-audit.ts";
import type { AboutRun, Admission } from "./judge.ts";
import { type GatheredTool, gatherRoundFacts, gatherToolFacts, type TurnScene } from "./tool-facts.ts";
import type { RoundRulingResult, ToolRulingResult, TurnTaking } from "./turn-ruling.ts";
import { bodyTextOf, heldBy, outcomeOf } from "./verdict.ts";

/** Judges one tool call. What it takes counts at once. */
export function ruleOnTool(scene: TurnScene, request: RequestToolVerdict): ToolRulingResult {
  const { about, tally } = scene;
  const gathered = gatherToolFacts(scene, request);
  const { facts, windows } = gathered;
  const judgement = judgeTool(facts);
  // A call judged again, with other args or after an answer, gets its own verdict.
  const verdictId = `vrd_${request.callId}/${about.nextEventId}`;
  const verdict = toolVerdictOf(judgement, gathered, request, verdictId);
  // A held call takes its place when it is held. Otherwise many calls could wait and then all run at once.
  const isTaken = judgement.disposition !== "block" && windows.length > 0;
  const taken: TurnTaking | null = isTaken
    ? { hits: windows.map((one) => ({ ...one, at: tally.hitAt(one.counter, about.at) })), reserved: [] }
    : null;
  if (taken !== null) tally.takeInTurn(taken);
  const bodyText = bodyTextOf(judgement, facts.policies, toolFactsText(facts), request.callId);
  const { nodeId } = request;
  const record = { verdictId, nodeId, attempt: null, at: about.at, ...outcomeOf(judgement), bodyText };
  return {
    verdict,
    taken,
    record,
    audit: [toolAudit(about, request, gathered, verdict)],
  };
}

function toolVerdictOf(
  judgement: Judgement,
  { facts, profile }: GatheredTool,
  { route }: RequestToolVerdict,
  verdictId: string,
): ToolVerdict {
  const { action, effects, timeoutMs } = profile;
  const said = { verdictId, action, effects, timeoutMs };
  switch (judgement.disposition) {
    case "allow":
      return { ...said, disposition: "allow" };
    case "block": {
      const { gate, code, message } = judgement.explanation;
      const { until } = judgement.block;
      const later = until === undefined ? {} : { retryAfterMs: Math.max(1, until - facts.at) };
      return { ...said, disposition: "deny", gate, code, reason: message, ...later };
    }
    case "hold":
      return { ...said, ...heldBy(judgement, facts, route, null) };
  }
}

/** Returns the audit entry, with the args only as a digest. The args are in the log and the verdict, where they can be erased. */
function toolAudit(
  { runId, at }: AboutRun,
  { nodeId, attempt, callId, round, argsDigest }: RequestToolVerdict,
  { facts }: GatheredTool,
  verdict: ToolVerdict,
): AuditEntry {
  const { tool, agentId } = facts;
  const { disposition, verdictId } = verdict;
  return callAudit({ runId, at, nodeId }, tool, {
    attempt,
    callId,
    round,
    argsDigest,
    agentId,
    disposition,
    verdictId,
    ...(verdict.disposition === "allow" ? {} : { gate: verdict.gate }),
    ...(verdict.disposition === "deny" ? { code: verdict.code } : {}),
    ...(verdict.disposition === "hold" ? { policies: verdict.policies } : {}),
  });
}

/** Judges whether a turn may have another round. Reserves its cost in place of what the attempt has held. */
export function ruleOnRound(
  scene: TurnScene,
  request: RequestRoundVerdict,
  held: readonly Reservation[],
): RoundRulingResult {
  const { about, registered, tally } = scene;
  const facts = gatherRoundFacts(scene, request, held);
  const judgement = judgeRound(facts);
  if (judgement.disposition === "allow") {
    const counted = held.find(({ envelopeId }) => envelopeId === agentEnvelopeId(facts.agentId));
    // An amount that is only counted stays in the month of its reservation, like an amount with a ceiling.
    const reserved = reservedFor(registered, facts, counted?.periodStart ?? about.at);
    const taken = { hits: [], reserved: beyond(reserved, held) };
    tally.takeInTurn(taken);
    return { verdict: { disposition: "go" }, reserved, taken, record: null, audit: [] };
  }
  const { nodeId, epoch, rounds } = request;
  const { gate, code, message } = judgement.explanation;
  const verdictId = `vrd_${about.runId}/${nodeId}/${epoch}/round-${rounds}/${about.nextEventId}`;
  const verdict: RoundVerdict = { disposition: "stop", verdictId, gate, code, message };
  const bodyText = bodyTextOf(judgement, [], roundFactsText(facts));
  const record = { verdictId, nodeId, attempt: null, at: about.at, ...outcomeOf(judgement), bodyText };
  // The engine records the rejection as an event, which is audited.
  return { verdict, reserved: null, taken: null, record, audit: [] };
}

/** Returns the amounts by which reservations grow. A smaller reservation frees nothing until the commit succeeds. */
function beyond(reserved: Admission["reserved"], held: readonly Reservation[]): readonly Reservation[] {
  return reserved.flatMap(({ envelopeId, periodStart, micros }) => {
    const before = held.find((one) => one.envelopeId === envelopeId && one.periodStart === periodStart)?.micros ?? 0;
    return micros > before ? [{ envelopeId, periodStart, micros: micros - before }] : [];
  });
}
