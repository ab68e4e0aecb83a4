import type { JsonObject } from "../core/base/index.ts";
import type { RunState } from "../core/engine/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { type Explanation, type TrailEntry, usdText } from "../core/governance/index.ts";
import { describePlan, type Plan, type PlanNode } from "../core/plan/index.ts";
import { type EventFrame, frameEvent, isoFromEpochMs } from "../core/view/index.ts";
import type { StoredVerdict } from "../store/index.ts";
import { criticalPath } from "./critical-path.ts";
import { baseOf, type Decided, decidedByLog, decidedByRecords } from "./decided.ts";
import { type JudgedCall, judgedCalls } from "./judged-calls.ts";
import type { Simulated } from "./simulate.ts";

export const GOVERNANCE_MODES = ["live", "none"] as const;
export type GovernanceMode = (typeof GOVERNANCE_MODES)[number];

interface NodeForecast {
  readonly nodeId: string;
  readonly kind: PlanNode["kind"];
  readonly status: string;
  /** The result of the gates; null when no gate was evaluated. */
  readonly verdict: StoredVerdict["disposition"] | null;
  readonly gate: string | null;
  readonly code: string | null;
  readonly explanation: Explanation | null;
  readonly waitsForPerson: boolean;
  readonly instances: number | null;
  readonly attempts: number;
  readonly reservedMicros: number;
  readonly costMicros: number;
  readonly durationMs: number | null;
}

interface JudgedNode {
  readonly verdictId: string;
  /** Id of the tool call the verdict concerns; absent when it concerns the node. */
  readonly callId?: string;
  readonly nodeId: string;
  readonly attempt: number | null;
  readonly at: string;
  readonly disposition: StoredVerdict["disposition"];
  readonly gate: string | null;
  readonly code: string | null;
  readonly explanation: Explanation | null;
  readonly trail: readonly TrailEntry[];
  readonly policies: readonly string[];
}

interface AskedApproval {
  readonly nodeId: string;
  readonly source: string;
  readonly summary: string;
  readonly approvers: readonly string[];
  readonly decision: string | null;
}

/** A forecast of what a workflow would do, wait for and cost. */
export interface Simulation {
  readonly workflow: string;
  readonly governance: GovernanceMode;
  readonly status: string;
  readonly plan: JsonObject;
  readonly launch: {
    readonly disposition: "allow" | "block" | "hold";
    readonly explanation: Explanation | null;
    readonly trail: readonly TrailEntry[];
  };
  readonly nodes: readonly NodeForecast[];
  readonly verdicts: readonly JudgedNode[];
  /** Tool calls of agents, with the decisions of the gates. */
  readonly calls: readonly JudgedCall[];
  readonly approvals: readonly AskedApproval[];
  readonly events: readonly EventFrame[];
  readonly forecast: {
    readonly costMicros: number;
    readonly costUsd: string;
    readonly reservedMicros: number;
    readonly durationMs: number;
    readonly criticalPath: readonly string[];
    readonly waitsForPerson: readonly string[];
  };
}

/** Simulations are not traced, so all have the same id. */
const TRACE_ID = "0".repeat(32);

export function simulationOf(plan: Plan, simulated: Simulated): Simulation {
  const { launch, state, log, verdicts, askedFor, isWaiting } = simulated;
  const approvals = approvalsOf(log);
  const asked = new Set([...askedFor].map(baseOf));
  const decided = launch === null ? decidedByLog(log) : decidedByRecords(verdicts);
  const nodes = plan.nodes.map((node) => forecastNode(node, state, decided.get(node.id), asked.has(node.id)));
  const costMicros = nodes.reduce((sum, node) => sum + node.costMicros, 0);
  const runId = state?.runId ?? "run_simulated";
  return {
    workflow: plan.name,
    governance: launch === null ? "none" : "live",
    status: state === null ? "refused" : isWaiting ? "waiting" : state.status,
    plan: describePlan(plan),
    launch: {
      disposition: launch?.disposition ?? "allow",
      explanation: launch === null || launch.disposition === "allow" ? null : launch.explanation,
      trail: launch?.trail ?? [],
    },
    nodes,
    verdicts: verdicts.map(judged),
    calls: judgedCalls(log),
    approvals,
    events: log.map((event) => frameEvent(event, { runId, workflowId: plan.name, traceId: TRACE_ID })),
    forecast: {
      costMicros,
      costUsd: usdText(costMicros),
      reservedMicros: nodes.reduce((sum, { reservedMicros }) => sum + reservedMicros, 0),
      durationMs: durationOf(state, log),
      criticalPath: state === null ? [] : criticalPath(state),
      waitsForPerson: nodes.filter(({ waitsForPerson }) => waitsForPerson).map(({ nodeId }) => nodeId),
    },
  };
}

function durationOf(state: RunState | null, log: readonly RunEvent[]): number {
  const end = state?.endedAt ?? log.at(-1)?.at ?? 0;
  return end - (state?.startedAt ?? end);
}

function forecastNode(
  node: PlanNode,
  state: RunState | null,
  decided: Decided | undefined,
  waitsForPerson: boolean,
): NodeForecast {
  const own = state?.nodes[node.index];
  const indices = own?.expansion?.members ?? [];
  const members = own === undefined ? [] : [own, ...indices.flatMap((index) => state?.nodes[index] ?? [])];
  const spent = members.reduce((sum, { costMicros }) => sum + costMicros, 0);
  const attempts = members.reduce((sum, one) => sum + one.attempts, 0);
  // When the script sets no cost, the expected cost is the reserved amount, or else the author's estimate.
  const estimated = decided?.reservedMicros ?? (node.request.estimatedCostMicros ?? 0) * attempts;
  return {
    nodeId: node.id,
    kind: node.kind,
    status: own?.now.status ?? "pending",
    verdict: decided?.disposition ?? null,
    gate: decided?.gate ?? null,
    code: decided?.code ?? (own !== undefined && "errorCode" in own.now ? own.now.errorCode : null),
    explanation: decided?.explanation ?? null,
    waitsForPerson,
    instances: own?.expansion?.members.length ?? null,
    attempts,
    reservedMicros: decided?.reservedMicros ?? 0,
    costMicros: spent > 0 ? spent : estimated,
    durationMs: own?.now.status === "completed" ? own.now.durationMs : null,
  };
}

function judged(verdict: StoredVerdict): JudgedNode {
  const { body, at, ...rest } = verdict;
  const callId = typeof body["callId"] === "string" ? { callId: body["callId"] } : {};
  // Only the governor writes the body, so its type is known.
  const kept = body as unknown as Pick<JudgedNode, "trail" | "policies"> & { readonly explanation?: Explanation };
  const { trail, policies, explanation = null } = kept;
  return { ...rest, ...callId, at: isoFromEpochMs(at), explanation, trail, policies };
}

function approvalsOf(log: readonly RunEvent[]): readonly AskedApproval[] {
  const decisions = new Map<string, string>();
  for (const { type, payload } of log) {
    if (type === "approval.resolved" && payload.decision !== undefined) {
      decisions.set(payload.approvalId, payload.decision);
    }
  }
  return log.flatMap(({ type, payload }) =>
    type !== "approval.requested"
      ? []
      : [
          {
            nodeId: payload.nodeId,
            source: payload.source,
            summary: payload.summary,
            approvers: payload.approvers.map(({ who }) => who),
            decision: decisions.get(payload.approvalId) ?? null,
          },
        ],
  );
}
