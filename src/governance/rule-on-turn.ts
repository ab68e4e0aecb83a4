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

/** Judges one tool call; what it takes counts at once. */
export function ruleOnTool(scene: TurnScene, request: RequestToolVerdict): ToolRulingResult {
  const { about, tally } = scene;
  const gathered = gatherToolFacts(scene, request);
  const { facts, windows } = gathered;
  const judgement = judgeTool(facts);
  // A call that is judged again, with other args or after an answer, has a verdict of its own.
  const verdictId = `vrd_${request.callId}/${about.nextEventId}`;
  const verdict = toolVerdictOf(judgement, gathered, request, verdictId);
  // A call that is held has its place from when it is asked about: else many could wait, and be made all at once.
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
      return { ...said, disposition: "deny", gate, code, reason: message };
    }
    case "hold":
      return { ...said, ...heldBy(judgement, facts, route, null) };
  }
}

/** Names the call and its digest: args themselves are in the log and with the verdict, where they can be erased. */
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

/** Judges whether a turn may have another round, and reserves it in place of what the attempt has held. */
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
    // What is only counted stays in the month in which it was reserved, as what has a ceiling does.
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
  // The engine records that a gate has rejected it, which is audited with its events.
  return { verdict, reserved: null, taken: null, record, audit: [] };
}

/** What others have to do without from now on: less than before frees nothing until the commit stands. */
function beyond(reserved: Admission["reserved"], held: readonly Reservation[]): readonly Reservation[] {
  return reserved.flatMap(({ envelopeId, periodStart, micros }) => {
    const before = held.find((one) => one.envelopeId === envelopeId && one.periodStart === periodStart)?.micros ?? 0;
    return micros > before ? [{ envelopeId, periodStart, micros: micros - before }] : [];
  });
}
