import { getOwn, type Json, type JsonObject, sameJson } from "../base/index.ts";
import { walk } from "../expression/index.ts";
import type { LensBody, PlanNode, Reference, StepBody } from "../plan/index.ts";
import { bindLens, readsRootInput } from "./bind-lens.ts";
import { nodeAt } from "./move.ts";
import type { RunState } from "./state.ts";

/**
 * Returns the nodes whose own references read other values when the run has other args. Nodes below them follow from the
 * graph. A reference into an arg counts only when the part it reads has changed.
 */
export function nodesWithChangedInputs(state: RunState, args: JsonObject): readonly number[] {
  const names = new Set([...Object.keys(state.args), ...Object.keys(args)]);
  const changed = new Set([...names].filter((name) => !isSame(getOwn(state.args, name), getOwn(args, name))));
  if (changed.size === 0) return [];
  const readsAnother = (node: PlanNode): boolean => {
    const { body } = node;
    if (body.kind === "lens") return isBoundAnother({ state, args, changed }, node, body);
    return referencesOf(node, body).some((reference) => isAnother({ state, args, changed }, reference));
  };
  return state.plan.nodes.filter(readsAnother).map(({ index }) => index);
}

interface Change {
  readonly state: RunState;
  readonly args: JsonObject;
  /** Names of the args that differ. */
  readonly changed: ReadonlySet<string>;
}

/** Returns every reference of a step: command, stdin, `with`, condition, criteria, inputs and the list of `for_each`. */
function referencesOf({ forEach }: PlanNode, { scope, inputs }: StepBody): readonly Reference[] {
  return [...scope.values(), ...inputs.map(({ from }) => from), ...(forEach === null ? [] : [forEach.list])];
}

function isAnother({ state, args, changed }: Change, { origin, rest }: Reference): boolean {
  if (origin.kind === "run") return rest[0] === undefined || rest[0] === "args";
  if (origin.kind !== "arg" || !changed.has(origin.name)) return false;
  return !isSame(walk(getOwn(state.args, origin.name), rest), walk(getOwn(args, origin.name), rest));
}

/** Compares the final inputs of the node, because an edge or an override may replace a root input. */
function isBoundAnother({ state, args, changed }: Change, node: PlanNode, body: LensBody): boolean {
  const isRead = readsRootInput(body);
  if (![...changed].some(isRead)) return false;
  const nodeState = nodeAt(state, node.index);
  const before = bindLens(state, nodeState, node, body);
  const after = bindLens({ ...state, args }, nodeState, node, body);
  return JSON.stringify(before) !== JSON.stringify(after);
}

function isSame(left: Json | undefined, right: Json | undefined): boolean {
  return left === undefined || right === undefined ? left === right : sameJson(left, right);
}
