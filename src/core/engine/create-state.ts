import type { Json } from "../base/index.ts";
import { NODE_STATUSES, type NodeStatus, type Tokens } from "../event/index.ts";
import type { Plan } from "../plan/index.ts";
import type { NodeState, RunState } from "./state.ts";

export const NO_TOKENS: Tokens = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };

/** Initial value: no events taken before the run. */
const NOTHING_TAKEN: ReadonlySet<string> = new Set();

export function createRunState(plan: Plan, runId: string): RunState {
  const counts = Object.fromEntries(NODE_STATUSES.map((status) => [status, 0])) as Record<NodeStatus, number>;
  counts.pending = plan.nodes.length;
  return {
    plan,
    runId,
    status: "queued",
    epoch: 0,
    lastEventId: 0,
    args: {},
    recursionDepth: 0,
    parentRunId: null,
    root: null,
    hops: 0,
    place: null,
    heldKeys: [],
    takenBefore: NOTHING_TAKEN,
    block: null,
    owner: null,
    workflow: plan.name,
    version: null,
    trigger: "",
    startedBy: null,
    startedAt: null,
    endedAt: null,
    costMicros: 0,
    tokens: NO_TOKENS,
    errorCode: null,
    errorReason: null,
    outputs: null,
    snapshot: null,
    paused: null,
    pausedWithParent: null,
    ending: null,
    haltedBy: null,
    endsOwner: null,
    finally: null,
    carriedBlocks: new Map(),
    prompts: {},
    isRecovering: false,
    nodes: plan.nodes.map((node) =>
      createNode(node.id, node.index, node.index, null, node.parents.length, node.tolerantDependents.length),
    ),
    instanceIndexById: new Map(),
    carriedInstances: new Map(),
    carriedTurns: new Map(),
    approvals: new Map(),
    counts,
    waits: { event: 0, timer: 0, child: 0 },
    unsettledNodes: plan.nodes.length,
    limitedNodes: 0,
    expandedRunning: 0,
    childRunning: 0,
    blocksRunning: 0,
    liveChildren: new Set(),
    childCosts: new Map(),
    placement: null,
    upstreamCount: 0,
    downstreamCount: 0,
    handoffs: new Map(),
    ready: { entries: [], head: 0 },
    computing: { entries: [], head: 0 },
    lanes: new Map(),
    asked: new Map(),
    askedRounds: new Set(),
    askedCalls: new Map(),
  };
}

export function createInstance(state: RunState, parent: NodeState, element: number, item: Json): NodeState {
  const id = instanceId(parent.id, element);
  return createNode(id, state.nodes.length, parent.planIndex, { parent: parent.index, element, item }, 0);
}

export function instanceId(nodeId: string, element: number): string {
  return `${nodeId}[${element}]`;
}

function createNode(
  id: string,
  index: number,
  planIndex: number,
  instance: NodeState["instance"],
  unsettledParents: number,
  openTolerants = 0,
): NodeState {
  return {
    id,
    index,
    planIndex,
    instance,
    now: { status: "pending" },
    unsettledParents,
    metParents: 0,
    counted: null,
    openTolerants,
    isHandled: false,
    epoch: 0,
    attempts: 0,
    tries: 0,
    retries: 0,
    calls: 0,
    pausedAsks: 0,
    isOnce: false,
    extraAttempts: 0,
    hasEscalated: false,
    isGateApproved: false,
    grants: [],
    assignedTo: null,
    model: null,
    lane: null,
    values: {},
    entered: {},
    takenEvents: new Set(),
    hasFindings: false,
    deltaIndex: -1,
    reported: new Set(),
    costedRounds: new Set(),
    firstStartedAt: null,
    costMicros: 0,
    tokens: NO_TOKENS,
    expansion: null,
    lastBlock: null,
    turn: null,
    agentId: null,
    routes: [],
  };
}
