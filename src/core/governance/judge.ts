import type { DispatchFacts, LaunchFacts } from "./facts.ts";
import {
  type GateBlock,
  type Explanation,
  type Gate,
  type Hold,
  type Judgement,
  type MatchedPolicy,
  PASS,
  type TrailEntry,
} from "./gate.ts";
import { agentBudget } from "./gates/agent-budget.ts";
import { agentStatus } from "./gates/agent-status.ts";
import { approvalRequired } from "./gates/approval-required.ts";
import { envelopesForDispatch, envelopesForLaunch } from "./gates/budget-envelopes.ts";
import { concurrency } from "./gates/concurrency.ts";
import { contextTrust } from "./gates/context-trust.ts";
import { postureGate } from "./gates/execution-posture.ts";
import { gatewayHealth } from "./gates/gateway-health.ts";
import { identityGate } from "./gates/identity.ts";
import { nodeToolAllowed, nodeToolRate } from "./gates/node-call.ts";
import { platformOpenForDispatch, platformOpenForLaunch } from "./gates/platform-open.ts";
import { policyRulesForDispatch, policyRulesForLaunch } from "./gates/policy-rules.ts";
import { rateLimit } from "./gates/rate-limit.ts";
import { startRate } from "./gates/start-rate.ts";
import { trustLevel } from "./gates/trust-level.ts";

/** Gates of a dispatch, in evaluation order. */
export const DISPATCH_GATES: readonly Gate<DispatchFacts>[] = [
  gatewayHealth,
  agentStatus,
  identityGate,
  concurrency,
  rateLimit,
  agentBudget,
  envelopesForDispatch,
  trustLevel,
  contextTrust,
  policyRulesForDispatch,
  approvalRequired,
];

export const LAUNCH_GATES: readonly Gate<LaunchFacts>[] = [
  platformOpenForLaunch,
  gatewayHealth,
  postureGate,
  envelopesForLaunch,
  policyRulesForLaunch,
  startRate,
];

/** HTTP status of the response when a launch gate blocks. */
export const LAUNCH_STATUSES: Readonly<Record<string, number>> = {
  platform_closed: 503,
  workflow_paused: 409,
  gateway_unreachable: 503,
  posture_forbidden: 403,
  budget_exceeded: 403,
  policy_blocked: 403,
  rate_limited: 429,
};

/** Dispatch gates for a node that is itself a tool call. */
const CALL_GATES = DISPATCH_GATES.flatMap((gate) => {
  if (gate === agentStatus) return [gate, nodeToolAllowed];
  return gate === rateLimit ? [gate, nodeToolRate] : [gate];
});

const CLOSED_GATES = [platformOpenForDispatch, ...DISPATCH_GATES];
const CLOSED_CALL_GATES = [platformOpenForDispatch, ...CALL_GATES];

/** Decides whether a node may be dispatched now. The kill switch is checked first, and is in the trail only while it is closed. */
export function judgeDispatch(facts: DispatchFacts): Judgement {
  const { platform, call, run, node } = facts;
  const [open, closed] = call === undefined ? [DISPATCH_GATES, CLOSED_GATES] : [CALL_GATES, CLOSED_CALL_GATES];
  return judge(platform.isOpen ? open : closed, facts, `${run.runId}/${node.id}`);
}

/** Decides whether a run may be created. */
export function judgeLaunch(facts: LaunchFacts): Judgement {
  return judge(LAUNCH_GATES, facts, `Workflow/${facts.run.workflow}`);
}

/** Evaluates gates in order until one blocks or holds. `subject` names the object that would be approved. */
export function judge<Facts>(gates: readonly Gate<Facts>[], facts: Facts, subject: string): Judgement {
  const silent = silentTrail(gates);
  /** Null while every gate so far passed without a remark. */
  let said: TrailEntry[] | null = null;
  const warnings: string[] = [];
  let matched: readonly MatchedPolicy[] = [];
  for (let index = 0; index < gates.length; index += 1) {
    const gate = gates[index];
    if (gate === undefined) break;
    const outcome = gate.evaluate(facts, matched);
    if (outcome === PASS) {
      said?.push(passed(gate.name, {}));
      continue;
    }
    const trail = (said ??= silent.slice(0, index));
    if (outcome.kind !== "hold" && outcome.matched !== undefined) matched = outcome.matched;
    if (outcome.kind === "pass") {
      if (outcome.warnings !== undefined) warnings.push(...outcome.warnings);
      trail.push(passed(gate.name, outcome));
      continue;
    }
    const found = outcome.kind === "block" ? outcome.matched : undefined;
    trail.push({ gate: gate.name, outcome: outcome.kind, detail: detailOf([outcome.message], found) });
    for (const later of gates.slice(index + 1)) trail.push({ gate: later.name, outcome: "not_evaluated" });
    if (outcome.kind === "block") {
      return { disposition: "block", trail, block: outcome, explanation: explainBlock(gate.name, outcome), matched };
    }
    const explanation = explainHold(gate.name, outcome, subject);
    return { disposition: "hold", trail, hold: outcome, gate: gate.name, explanation, matched };
  }
  return { disposition: "allow", trail: said ?? silent, warnings, matched };
}

const SILENT_TRAILS = new WeakMap<object, readonly TrailEntry[]>();

/** Returns the trail for the case that every gate passes without a remark. It is common, so the object is shared. */
function silentTrail<Facts>(gates: readonly Gate<Facts>[]): readonly TrailEntry[] {
  let trail = SILENT_TRAILS.get(gates);
  if (trail === undefined) SILENT_TRAILS.set(gates, (trail = gates.map(({ name }) => passed(name, {}))));
  return trail;
}

interface Passed {
  readonly warnings?: readonly string[];
  readonly detail?: string;
  readonly matched?: readonly MatchedPolicy[];
}

function passed(gate: string, { warnings = [], detail, matched }: Passed): TrailEntry {
  const said = detailOf(detail === undefined ? warnings : [detail, ...warnings], matched);
  const outcome = warnings.length === 0 ? "pass" : "warn";
  return said === "" ? { gate, outcome } : { gate, outcome, detail: said };
}

function detailOf(sentences: readonly string[], matched: readonly MatchedPolicy[] = []): string {
  if (matched.length === 0) return sentences.join("; ");
  const names = matched.map(
    ({ name, version, action, enforcement }) => `${name}@${version} (${enforcement} ${action})`,
  );
  return [...sentences, `matched: ${names.join(", ")}`].join("; ");
}

export function explainBlock(gate: string, { code, message, facts, unblock }: GateBlock): Explanation {
  return { gate, code, message, facts, unblock };
}

/** `subject` names the object that would be approved. */
export function explainHold(gate: string, { message, facts, rule }: Hold, subject: string): Explanation {
  const chain = rule.approvers.map(({ who }) => who).join(", then ");
  const who = chain === "" ? "anyone who may approve" : chain;
  const detail = rule.isSeparate ? `${who} answers, but not who started the run` : `${who} answers`;
  return { gate, code: "approval_required", message, facts, unblock: [{ action: "approve", target: subject, detail }] };
}
