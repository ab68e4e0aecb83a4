import type { NodeState, RunState } from "../core/engine/index.ts";
import type { NodeStatus } from "../core/event/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import { FINALLY, type Plan, type PlanNode } from "../core/plan/index.ts";
import type { StoredVerdict } from "../store/index.ts";
import type { Decided } from "./decided.ts";

export interface NodeForecast {
  /** The id of the node. For a node of a run inside the run, after the nodes that started that run: `each/check`. */
  readonly nodeId: string;
  readonly kind: PlanNode["kind"];
  readonly status: string;
  /** The result of the gates; null when no gate was evaluated. */
  readonly verdict: StoredVerdict["disposition"] | null;
  readonly gate: string | null;
  readonly code: string | null;
  readonly explanation: Explanation | null;
  readonly waitsForPerson: boolean;
  /** How often the node runs, when that is not once. */
  readonly instances: number | null;
  readonly attempts: number;
  readonly reservedMicros: number;
  readonly costMicros: number;
  readonly durationMs: number | null;
}

/** The result of a family of runs, by the paths of its nodes without indices. */
export interface FamilyFacts {
  /** The states of all runs that were started by one node, by the path of the node with a slash; the first run has ''. */
  readonly states: ReadonlyMap<string, readonly RunState[]>;
  readonly decided: ReadonlyMap<string, Decided>;
  /** Nodes that asked a person. */
  readonly asked: ReadonlySet<string>;
}

/** Forecasts of nodes, with their sums. */
export interface Forecasts {
  readonly nodes: readonly NodeForecast[];
  readonly costMicros: number;
  readonly reservedMicros: number;
}

/** Returns a forecast for each node of the plan, each followed by those of the runs that it starts, and `finally` last. */
export function forecastNodes(plan: Plan, facts: FamilyFacts): Forecasts {
  return forecastBelow(
    "",
    plan.nodes.map((node) => ({ node, state: null })),
    facts,
  );
}

/** A node of one of the runs that one node has started. */
interface Member {
  readonly node: PlanNode;
  /** Null when the run did not start. */
  readonly state: RunState | null;
}

function forecastBelow(prefix: string, unstarted: readonly Member[], facts: FamilyFacts): Forecasts {
  const states = facts.states.get(prefix) ?? [];
  const started = states.flatMap((state) => state.plan.nodes.map((node): Member => ({ node, state })));
  // Several runs may have different plans: each element may take another branch.
  const byId = new Map<string, Member[]>();
  for (const member of states.length === 0 ? unstarted : started) {
    const { id } = member.node;
    const others = byId.get(id);
    if (others === undefined) byId.set(id, [member]);
    else others.push(member);
  }
  const found: Forecasts[] = [...byId].map(([id, members]) => {
    const inner = forecastBelow(`${prefix}${id}/`, [], facts);
    const own = forecastNode(`${prefix}${id}`, members, inner, facts);
    const { costMicros, reservedMicros } = own;
    return { nodes: [own, ...inner.nodes], costMicros, reservedMicros };
  });
  if (states.length > 0) found.push(forecastBelow(`${prefix}${FINALLY}/`, [], facts));
  return {
    nodes: found.flatMap(({ nodes }) => nodes),
    costMicros: sumOf(found, ({ costMicros }) => costMicros),
    reservedMicros: sumOf(found, ({ reservedMicros }) => reservedMicros),
  };
}

function forecastNode(path: string, members: readonly Member[], inner: Forecasts, facts: FamilyFacts): NodeForecast {
  const decided = facts.decided.get(path);
  const own = members.flatMap(({ node, state }) => state?.nodes[node.index] ?? []);
  const all = members.flatMap(({ node, state }) => executionsOf(state, node));
  const attempts = sumOf(all, (one) => one.attempts);
  const [first] = members;
  const status = statusOf(own);
  const ended = own.find(({ now }) => now.status === status)?.now;
  return {
    nodeId: path,
    kind: first?.node.kind ?? "agent",
    status,
    verdict: decided?.disposition ?? null,
    gate: decided?.gate ?? null,
    code: decided?.code ?? (ended !== undefined && "errorCode" in ended ? ended.errorCode : null),
    explanation: decided?.explanation ?? null,
    waitsForPerson: [...facts.asked].some((asked) => asked === path || asked.startsWith(`${path}/`)),
    instances: instancesOf(own),
    attempts,
    reservedMicros: (decided?.reservedMicros ?? 0) + inner.reservedMicros,
    costMicros: costOf(first?.node, { all, attempts, decided, inner }),
    durationMs: status === "completed" ? durationOf(own) : null,
  };
}

/** Returns the node and its instances. */
function executionsOf(state: RunState | null, { index }: PlanNode): readonly NodeState[] {
  const own = state?.nodes[index];
  if (own === undefined) return [];
  return [own, ...(own.expansion?.members ?? []).flatMap((member) => state?.nodes[member] ?? [])];
}

/** Order in which a status is shown when the node ran in several runs with different results. */
const BY_SEVERITY: readonly NodeStatus[] = [
  "failed",
  "timed_out",
  "blocked",
  "retrying",
  "streaming",
  "running",
  "queued",
  "awaiting_dependency",
  "cancelled",
  "completed",
  "skipped",
];

function statusOf(own: readonly NodeState[]): NodeStatus {
  return BY_SEVERITY.find((status) => own.some(({ now }) => now.status === status)) ?? "pending";
}

function instancesOf(own: readonly NodeState[]): number | null {
  const [first] = own;
  if (own.length <= 1) return first?.expansion?.members.length ?? null;
  return sumOf(own, ({ expansion }) => expansion?.members.length ?? 1);
}

interface Spending {
  readonly all: readonly NodeState[];
  readonly attempts: number;
  readonly decided: Decided | undefined;
  readonly inner: Forecasts;
}

/** When the script sets no cost, the expected cost is the reserved amount, or else the author's estimate. */
function costOf(node: PlanNode | undefined, { all, attempts, decided, inner }: Spending): number {
  // A node that runs a block or a workflow costs what the steps inside cost.
  const isOuter = (node?.child ?? node?.choose ?? null) !== null;
  if (isOuter && inner.nodes.length > 0) return inner.costMicros;
  const spent = sumOf(all, ({ costMicros }) => costMicros);
  const estimated = decided?.reservedMicros ?? (node?.request.estimatedCostMicros ?? 0) * attempts;
  return spent > 0 ? spent : estimated;
}

function durationOf(own: readonly NodeState[]): number {
  return Math.max(...own.map(({ now }) => (now.status === "completed" ? now.durationMs : 0)));
}

function sumOf<Item>(items: readonly Item[], numberOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + numberOf(item), 0);
}
