/** Shows what a node would do that sends no single request: with each element of its list, or in a child run. */
import { isJsonArray, type JsonObject, jsonToText } from "../base/index.ts";
import type { Shown } from "../event/index.ts";
import type { PlanNode } from "../plan/index.ts";
import { bind } from "./bind.ts";
import { bindWith } from "./bind-step.ts";
import { createInstance } from "./create-state.ts";
import { isSent } from "./sending.ts";
import type { NodeState, RunState } from "./state.ts";
import { shownMembers, shownText } from "./subject-size.ts";
import { readList, sceneOf } from "./value.ts";

/** Number of elements that are shown one by one. */
const ELEMENTS_MAX = 20;

/**
 * Returns the values a step works with that sends no request: the args of its child run, the data of its event, what it
 * sets. Null when it has none, or they cannot be bound.
 */
export function ownValues(state: RunState, node: NodeState, planNode: PlanNode): JsonObject | null {
  const { body } = planNode;
  if (body.kind !== "step" || isSent(planNode) || Object.keys(body.with).length === 0) return null;
  const bound = bindWith(state, node, body);
  return bound.ok ? bound.value : null;
}

/** The requests of the elements, or the values of a step that sends none where the author shows others. */
export function unsentRequests(state: RunState, node: NodeState, planNode: PlanNode): readonly Shown[] {
  const { forEach, body, child, approval } = planNode;
  if (node.instance !== null || body.kind !== "step") return [];
  if (forEach === null) {
    const values = (approval?.show ?? []).length === 0 ? null : ownValues(state, node, planNode);
    const of = child !== null && "workflow" in child ? `Args of ${child.workflow.name}` : `Values of ${node.id}`;
    return values === null ? [] : [{ label: of, kind: "value", value: shownMembers(values, "with") }];
  }
  const list = readList(sceneOf(state, node, body), forEach.list);
  if (!list.ok || !isJsonArray(list.value)) return [];
  const shown = list.value.slice(0, ELEMENTS_MAX).flatMap((item, element): Shown[] => {
    const instance = { ...createInstance(state, node, element, item), values: node.values };
    const text = textOf(state, instance, planNode);
    return text === null ? [] : [{ label: instance.id, kind: "text", value: shownText(text, instance.id) }];
  });
  const more = list.value.length - ELEMENTS_MAX;
  if (shown.length === 0 || more <= 0) return shown;
  return [...shown, { label: "", kind: "text", value: `and ${more} more, one for each element` }];
}

/** Returns the request of one element, or the args of its child run. Null when it has neither. */
function textOf(state: RunState, instance: NodeState, planNode: PlanNode): string | null {
  const values = ownValues(state, instance, planNode);
  if (values !== null) return jsonToText(values);
  if (!isSent(planNode)) return null;
  const binding = bind(state, instance);
  if (binding.kind === "failed") return binding.failure.message;
  if (binding.kind === "unbound") return null;
  const { message, stdin, inputs } = binding.request;
  return [
    message,
    ...(stdin === null ? [] : [stdin]),
    ...(Object.keys(inputs).length === 0 ? [] : [jsonToText(inputs)]),
  ].join("\n\n");
}
