/**
 * Decides once whether a node may run, when all its parents are settled (E1) with the outcomes it waits for.
 * Reads only its own parents: the cost is its in-degree, regardless of the size of the graph. For `join` see joining.ts.
 */
import type { SkipReason } from "../event/index.ts";
import {
  evaluateCondition,
  type ExpressionFailure,
  type ParsedExpression,
  type ResolvePath,
} from "../expression/index.ts";
import type { LensBody, PlanNode, StepBody } from "../plan/index.ts";
import { readEdge } from "./bind-lens.ts";
import { isMet, nodeAt, planNodeOf } from "./move.ts";
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
  if (parents.hasNoFailure) return { kind: "skip", reason: "no_failure" };
  return planNode.body.kind === "step"
    ? decideStep(state, node, parents, planNode.body)
    : decideLens(state, parents, planNode.body);
}

interface Parents {
  readonly hasFailed: boolean;
  /** True when every failed parent has handlers that may make up for it. */
  readonly areHandled: boolean;
  readonly areAllSkipped: boolean;
  /** True when the node handles a failure and that parent has not failed. */
  readonly hasNoFailure: boolean;
}

function countParents(state: RunState, planNode: PlanNode): Parents {
  let failed = 0;
  let handled = 0;
  let skipped = 0;
  for (const parent of planNode.parents) {
    const node = nodeAt(state, parent);
    const { status } = node.now;
    const outcome = planNode.outcomes.get(parent) ?? "success";
    if (isMet(outcome, status)) continue;
    if (outcome === "failure") return NO_FAILURE;
    if (status === "skipped") skipped += 1;
    else failed += 1;
    if (isMet("failure", status) && planNodeOf(state, node).hasFailureHandler) handled += 1;
  }
  return {
    hasFailed: failed > 0,
    areHandled: failed === handled,
    areAllSkipped: skipped > 0 && skipped === planNode.parents.length,
    hasNoFailure: false,
  };
}

const NO_FAILURE: Parents = { hasFailed: false, areHandled: false, areAllSkipped: false, hasNoFailure: true };

function decideStep(state: RunState, node: NodeState, parents: Parents, body: StepBody): Readiness {
  if (parents.hasFailed) {
    return parents.areHandled ? { kind: "skip", reason: "parent_failed" } : { kind: "upstream_failure" };
  }
  if (parents.areAllSkipped) return { kind: "skip", reason: "parents_skipped" };
  return decideStepCondition(state, node, body);
}

type ConditionReadiness = Exclude<Readiness, { readonly kind: "upstream_failure" }>;

function decideStepCondition(state: RunState, node: NodeState, body: StepBody): ConditionReadiness {
  if (body.condition === null) return RUN;
  // Values a person gave before a rewind applied to the node as it was then, so the condition does not read them.
  return decideCondition(body.condition, resolverFor(state, node, body, { ignoresGivenValues: true }));
}

function decideCondition(condition: ParsedExpression, resolve: ResolvePath): ConditionReadiness {
  const holds = evaluateCondition(condition.root, resolve);
  if (!holds.ok) return { kind: "expression_error", failure: holds.failure };
  return holds.value ? RUN : { kind: "skip", reason: "condition_false" };
}

/** Decides the remaining condition of a node whose `join` was reached. */
export function decideOwnCondition(state: RunState, node: NodeState, { body }: PlanNode): ConditionReadiness {
  return body.kind === "step" ? decideStepCondition(state, node, body) : decideEdges(state, body, node.counted);
}

/** Decides whether one instance of a `for_each` node runs. Only a condition about its element can prevent it. */
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
  return decideEdges(state, body, null);
}

function decideEdges(state: RunState, body: LensBody, counted: NodeState["counted"]): ConditionReadiness {
  const edges = body.params.flatMap((param) => param.edges).filter(({ source }) => counted?.has(source) !== false);
  if (edges.every((edge) => edge.condition === null)) return RUN;
  for (const edge of edges) {
    const reading = readEdge(state, edge, counted);
    if (!reading.ok) return { kind: "expression_error", failure: reading.failure };
    if (reading.value.isOpen) return RUN;
  }
  return { kind: "skip", reason: "condition_false" };
}
