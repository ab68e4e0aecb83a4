import type { JsonObject } from "../core/base/index.ts";
import type { RunState } from "../core/engine/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { type Explanation, type TrailEntry, usdText } from "../core/governance/index.ts";
import { describePlan, FINALLY, type Plan } from "../core/plan/index.ts";
import { type EventFrame, frameEvent, isoFromEpochMs } from "../core/view/index.ts";
import type { StoredVerdict } from "../store/index.ts";
import { criticalPath } from "./critical-path.ts";
import { baseOf, decidedByLog, decidedByRecords } from "./decided.ts";
import { type JudgedCall, judgedCalls } from "./judged-calls.ts";
import { type FamilyFacts, forecastNodes, type NodeForecast } from "./node-forecast.ts";
import type { Simulated, SimulatedRun } from "./simulate.ts";

export const GOVERNANCE_MODES = ["live", "none"] as const;
export type GovernanceMode = (typeof GOVERNANCE_MODES)[number];

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
  /** The error of a run that failed, whichever node or output it comes from. */
  readonly error: { readonly code: string; readonly message: string | null } | null;
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
  const { launch, state, log, family, isWaiting } = simulated;
  const approvals = family.flatMap(approvalsOf);
  const { nodes, costMicros, reservedMicros } = forecastNodes(plan, factsOf(simulated, approvals));
  const runId = state?.runId ?? "run_simulated";
  return {
    workflow: plan.name,
    governance: launch === null ? "none" : "live",
    status: state === null ? "refused" : isWaiting ? "waiting" : state.status,
    error: errorOf(log),
    plan: describePlan(plan),
    launch: {
      disposition: launch?.disposition ?? "allow",
      explanation: launch === null || launch.disposition === "allow" ? null : launch.explanation,
      trail: launch?.trail ?? [],
    },
    nodes,
    verdicts: family.flatMap(({ verdicts, prefix }) => verdicts.map((verdict) => judged(verdict, prefix))),
    calls: family.flatMap(({ log: own, prefix }) =>
      judgedCalls(own).map((call) => ({ ...call, nodeId: `${prefix}${call.nodeId}` })),
    ),
    approvals,
    events: log.map((event) => frameEvent(event, { runId, workflowId: plan.name, traceId: TRACE_ID })),
    forecast: {
      costMicros,
      costUsd: usdText(costMicros),
      reservedMicros,
      durationMs: durationOf(state, log),
      criticalPath: state === null ? [] : criticalPath(state),
      waitsForPerson: nodes.filter(isWaitOfRun).map(({ nodeId }) => nodeId),
    },
  };
}

/** A wait inside a run that a node started is a wait of that node. `finally` is started by no node. */
function isWaitOfRun({ nodeId, waitsForPerson }: NodeForecast): boolean {
  return waitsForPerson && !nodeId.replace(`${FINALLY}/`, "").includes("/");
}

function factsOf({ launch, family }: Simulated, approvals: readonly AskedApproval[]): FamilyFacts {
  const states = new Map<string, RunState[]>();
  for (const { prefix, state } of family) {
    if (state === null) continue;
    const path = baseOf(prefix);
    const others = states.get(path);
    if (others === undefined) states.set(path, [state]);
    else others.push(state);
  }
  return {
    states,
    decided: launch === null ? decidedByLog(family) : decidedByRecords(family),
    asked: new Set(approvals.map(({ nodeId }) => baseOf(nodeId))),
  };
}

/** Returns the error of a run that failed. */
function errorOf(log: readonly RunEvent[]): Simulation["error"] {
  const last = log.findLast(({ type }) => type === "run.failed");
  if (last?.type !== "run.failed") return null;
  const { errorCode = "failed", reason = null } = last.payload;
  return { code: errorCode, message: reason };
}

function durationOf(state: RunState | null, log: readonly RunEvent[]): number {
  const end = state?.endedAt ?? log.at(-1)?.at ?? 0;
  return end - (state?.startedAt ?? end);
}

function judged({ body, at, nodeId, ...rest }: StoredVerdict, prefix: string): JudgedNode {
  const callId = typeof body["callId"] === "string" ? { callId: body["callId"] } : {};
  // Only the governor writes the body, so its type is known.
  const kept = body as unknown as Pick<JudgedNode, "trail" | "policies"> & { readonly explanation?: Explanation };
  const { trail, policies, explanation = null } = kept;
  return { ...rest, nodeId: `${prefix}${nodeId}`, ...callId, at: isoFromEpochMs(at), explanation, trail, policies };
}

function approvalsOf({ log, prefix }: SimulatedRun): readonly AskedApproval[] {
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
            nodeId: `${prefix}${payload.nodeId}`,
            source: payload.source,
            summary: payload.summary,
            approvers: payload.approvers.map(({ who }) => who),
            decision: decisions.get(payload.approvalId) ?? null,
          },
        ],
  );
}
