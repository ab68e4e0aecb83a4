import { ApiProblem, type StateNode, type Run, type SluiceClient, type State } from "../client/index.ts";
import { type JsonObject, withOwn } from "../core/base/index.ts";
import { isTerminal, type RunStatus } from "../core/event/index.ts";
import { isUpstreamFailure, type PlanOutline, type RunView } from "../core/view/index.ts";

/** The state of a run as tools report it. */
export interface RunSummary {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number | null;
  readonly status: RunStatus;
  /** True when the run continues only after a person acts. */
  readonly isPaused: boolean;
  /** The outputs declared by the definition, else the outputs of the nodes without dependents, by node. */
  readonly outputs: JsonObject;
  readonly costMicros: number;
  readonly executedCount: number;
  readonly failedCount: number;
  readonly lastEventId: number;
  readonly waitingFor?: readonly WaitingFor[];
  readonly blocked?: readonly NodeTrouble[];
  readonly failures?: readonly NodeTrouble[];
}

/** An approval that the run waits for. */
export interface WaitingFor {
  readonly approvalId: string;
  readonly nodeId: string;
  readonly summary: string;
  readonly choices: readonly string[];
  readonly digest: string;
  readonly title: string;
  /** Absent for an approval opened before subjects existed. */
  readonly subjectDigest?: string;
  readonly expiresAt: string;
}

export interface NodeTrouble {
  readonly nodeId: string;
  readonly code: string;
  readonly message: string;
}

/** The nodes of a run in plan order, and which of them have no dependents. */
export interface RunShape {
  readonly outline: PlanOutline;
  readonly leaves: ReadonlySet<string>;
}

const LISTED_MAX = 20;
const PENDING_MAX = 100;
/** A larger output stays a reference, because it is too long for a conversation. */
const VALUE_BYTES_MAX = 262_144;

/** Builds the shape from the plan of the version. Uses the run's state when the caller may not read workflows or the plan is gone. */
export async function shapeOf(api: SluiceClient, run: Run): Promise<RunShape> {
  const plan = run.version === null ? null : await planOf(api, run.workflow, run.version);
  if (plan !== null) {
    const nodes = plan.nodes.map(({ id, wave }) => ({ id, label: id, wave }));
    return {
      outline: { nodes },
      leaves: new Set(plan.nodes.flatMap((node) => (node.dependents.length === 0 ? node.id : []))),
    };
  }
  const { nodeResults } = await api.getState(run.id);
  const nodes = nodeResults
    .filter(({ nodeId }) => !nodeId.includes("["))
    .map(({ nodeId, label, wave }) => ({ id: nodeId, label, wave }));
  const last = Math.max(0, ...nodes.map(({ wave }) => wave));
  // Without the plan the edges are unknown, but nodes of the last wave certainly have no dependents.
  return { outline: { nodes }, leaves: new Set(nodes.flatMap(({ id, wave }) => (wave === last ? id : []))) };
}

async function planOf(api: SluiceClient, workflow: string, version: number) {
  try {
    return (await api.getVersion(workflow, version)).plan;
  } catch (error) {
    if (error instanceof ApiProblem && (error.status === 403 || error.status === 404)) return null;
    throw error;
  }
}

/** Returns the state of a run. `view` is the view of the watched run, if any, and saves a query for approvals. */
export async function runSummaryOf(
  api: SluiceClient,
  run: Run,
  shape: RunShape,
  view: RunView | null,
): Promise<RunSummary> {
  const state = await api.getState(run.id);
  const waitingFor = isTerminal(state.status) ? [] : await approvalsOf(api, state, view);
  const asked = new Set(waitingFor.map(({ nodeId }) => nodeId));
  const blocked = state.nodeResults.filter(({ nodeId, status }) => status === "blocked" && !asked.has(nodeId));
  const failed = state.nodeResults.filter(
    (node) => (node.status === "failed" || node.status === "timed_out") && !isUpstreamFailure(node) && !node.isHandled,
  );
  return {
    runId: run.id,
    workflow: run.workflow,
    version: run.version,
    status: state.status,
    isPaused: state.isPaused,
    outputs: state.outputs ?? (await outputsOf(api, state, shape.leaves)),
    costMicros: state.costMicros,
    executedCount: state.executedCount,
    failedCount: state.failedCount,
    lastEventId: state.lastEventId,
    ...(waitingFor.length === 0 ? {} : { waitingFor }),
    ...(blocked.length === 0 ? {} : { blocked: blocked.slice(0, LISTED_MAX).map(troubleOf) }),
    ...(failed.length === 0 ? {} : { failures: failed.slice(0, LISTED_MAX).map(troubleOf) }),
  };
}

/** Returns the state for a caller that may start runs but not read them. */
export function minimalRunSummary(run: Run): RunSummary {
  const { id: runId, workflow, version, status, costMicros, lastEventId } = run;
  const counts = { executedCount: 0, failedCount: 0 };
  return { runId, workflow, version, status, isPaused: false, outputs: {}, costMicros, ...counts, lastEventId };
}

function troubleOf({ nodeId, status, waitingReason, errorCode, errorMessage }: StateNode): NodeTrouble {
  return { nodeId, code: errorCode ?? waitingReason ?? status, message: errorMessage ?? "" };
}

async function approvalsOf(api: SluiceClient, state: State, view: RunView | null): Promise<readonly WaitingFor[]> {
  const isBlocked = state.nodeResults.some(
    ({ status, waitingReason }) => status === "blocked" && waitingReason === "human_input",
  );
  if (!isBlocked) return [];
  if (view !== null && view.lastEventId >= state.lastEventId) {
    const pending = [...view.approvals.values()].filter(({ status }) => status === "pending");
    return pending.map(({ id, nodeId, title, summary, choices, digest, subjectDigest, expiresAt }) => {
      const digests = { digest, ...digestOf(subjectDigest) };
      return {
        approvalId: id,
        nodeId,
        title,
        summary,
        choices,
        ...digests,
        expiresAt: new Date(expiresAt).toISOString(),
      };
    });
  }
  return pendingOf(api, state.runId);
}

/** Queries pending approvals. Returns none when the caller may not read approvals. */
async function pendingOf(api: SluiceClient, runId: string): Promise<readonly WaitingFor[]> {
  try {
    const { data } = await api.listApprovals({ status: "pending", run: runId, limit: PENDING_MAX });
    return data.flatMap(({ id, nodeId, title, summary, choices, digest, subjectDigest, expiresAt }) =>
      nodeId === null
        ? []
        : [{ approvalId: id, nodeId, title, summary, choices, digest, ...digestOf(subjectDigest), expiresAt }],
    );
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 403) return [];
    throw error;
  }
}

function digestOf(subjectDigest: string | null): { readonly subjectDigest?: string } {
  return subjectDigest === null ? {} : { subjectDigest };
}

async function outputsOf(api: SluiceClient, state: State, leaves: ReadonlySet<string>): Promise<JsonObject> {
  const settled = state.nodeResults.filter(({ nodeId, status }) => status === "completed" && leaves.has(nodeId));
  return Object.fromEntries(
    await Promise.all(settled.map(async (node) => [node.nodeId, await outputOf(api, node)] as const)),
  );
}

/** Returns the outputs of a node with its large values loaded. A plain text counts as one output. */
async function outputOf(api: SluiceClient, { outputs, output, refs = [] }: StateNode): Promise<JsonObject> {
  const isPlain = outputs === null || Object.keys(outputs).length === 0;
  let shown: JsonObject = isPlain ? { stdout: output } : outputs;
  for (const { path, hash, bytes } of refs) {
    const [place = "", name = "stdout"] = path;
    if ((place === "output") !== isPlain) continue;
    shown = withOwn(shown, name, bytes > VALUE_BYTES_MAX ? { hash, bytes } : await api.getBlob(hash));
  }
  return shown;
}
