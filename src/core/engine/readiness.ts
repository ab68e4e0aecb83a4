/**
 * Whether a node may run, decided once, when all its parents are settled (E1). Reads only its own parents:
 * the cost is its in-degree, whatever the size of the graph.
 */
import type { SkipReason } from "../event/index.ts";
import { evaluateCondition, type ExpressionFailure, type ResolvePath } from "../expression/index.ts";
import type { LensBody, PlanNode, StepBody } from "../plan/index.ts";
import { readEdge } from "./bind-lens.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { resolverFor } from "./value.ts";
import type { NodeState, RunState } from "./state.ts";

export type Readiness =
  | { readonly kind: "run" }
  | { readonly kind: "skip"; readonly reason: SkipReason }
  | { readonly kind: "upstream_failure" }
  | { readonly kind: "expression_error"; readonly failure: ExpressionFailure };

const RUN = { kind: "run" } as const;

export function decideReadiness(state: RunState, node: NodeState, planNode: PlanNode): Readiness {
  const parents = countParents(state, planNode);
  return planNode.body.kind === "step"
    ? decideStep(state, node, parents, planNode.body)
    : decideLens(state, parents, planNode.body);
}

interface Parents {
  readonly hasFailed: boolean;
  readonly areAllSkipped: boolean;
}

function countParents(state: RunState, planNode: PlanNode): Parents {
  let failed = 0;
  let skipped = 0;
  for (const parent of planNode.parents) {
    const { status } = nodeAt(state, parent).now;
    if (status === "skipped") skipped += 1;
    else if (status !== "completed") failed += 1;
  }
  return { hasFailed: failed > 0, areAllSkipped: skipped > 0 && skipped === planNode.parents.length };
}

function decideStep(state: RunState, node: NodeState, parents: Parents, body: StepBody): Readiness {
  if (parents.hasFailed) return { kind: "upstream_failure" };
  if (parents.areAllSkipped) return { kind: "skip", reason: "parents_skipped" };
  if (body.condition === null) return RUN;
  // What a person gave before a rewind was for the node as it was then.
  return decideCondition(body.condition, resolverFor(state, node, body, { isUnasked: true }));
}

type ConditionReadiness = Exclude<Readiness, { readonly kind: "upstream_failure" }>;

function decideCondition(condition: StepBody["condition"], resolve: ResolvePath): ConditionReadiness {
  if (condition === null) return RUN;
  const holds = evaluateCondition(condition.root, resolve);
  if (!holds.ok) return { kind: "expression_error", failure: holds.failure };
  return holds.value ? RUN : { kind: "skip", reason: "condition_false" };
}

/** Whether one instance of a `for_each` node runs: only a condition about its element can say no. */
export function decideInstance(state: RunState, instance: NodeState): ConditionReadiness {
  const { body, forEach } = planNodeOf(state, instance);
  const condition = forEach?.condition ?? null;
  if (condition === null || body.kind !== "step") return RUN;
  return decideCondition(condition, resolverFor(state, instance, body));
}

function decideLens(state: RunState, parents: Parents, body: LensBody): Readiness {
  if (parents.hasFailed) {
    if (body.onParentFailure === "skip") return { kind: "skip", reason: "parent_failed" };
    return body.onParentFailure === "propagate" ? { kind: "upstream_failure" } : RUN;
  }
  if (parents.areAllSkipped) return { kind: "skip", reason: "parents_skipped" };
  const edges = body.params.flatMap((param) => param.edges);
  if (edges.every((edge) => edge.condition === null)) return RUN;
  for (const edge of edges) {
    const reading = readEdge(state, edge);
    if (!reading.ok) return { kind: "expression_error", failure: reading.failure };
    if (reading.value.isOpen) return RUN;
  }
  return { kind: "skip", reason: "condition_false" };
}
