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

/** Returns the args of the child run that a step starts. Null when it starts none, or they cannot be bound. */
export function childArgs(state: RunState, node: NodeState, { body, child }: PlanNode): JsonObject | null {
  if (body.kind !== "step" || child === null || !("workflow" in child)) return null;
  const bound = bindWith(state, node, body);
  return bound.ok ? bound.value : null;
}

/** The requests of the elements, or the args of a child run where the author shows other values. */
export function unsentRequests(state: RunState, node: NodeState, planNode: PlanNode): readonly Shown[] {
  const { forEach, body, child, approval } = planNode;
  if (node.instance !== null || body.kind !== "step") return [];
  if (forEach === null) {
    const args = (approval?.show ?? []).length === 0 ? null : childArgs(state, node, planNode);
    if (args === null || child === null || !("workflow" in child)) return [];
    return [{ label: `Args of ${child.workflow.name}`, kind: "value", value: shownMembers(args, "with") }];
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
  const args = childArgs(state, instance, planNode);
  if (args !== null) return jsonToText(args);
  if (!isSent(planNode)) return null;
  const binding = bind(state, instance);
  if (binding.kind === "failed") return binding.failure.message;
  if (binding.kind === "unbound") return null;
  const { message, stdin, inputs } = binding.request;
  return [message, ...(stdin === null ? [] : [stdin]), ...(Object.keys(inputs).length === 0 ? [] : [jsonToText(inputs)])].join(
    "\n\n",
  );
}
