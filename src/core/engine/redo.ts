/** Decides which nodes run again and which results are kept when a run is restarted, branched or recovered. */
import { type JsonObject, required } from "../base/index.ts";
import { nodesWithChangedInputs } from "./changed-inputs.ts";
import type { Carried, CarriedPrompt } from "./input.ts";
import { findNode, nodeAt, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import { eventsTakenByNode } from "./taken-events.ts";

/**
 * Returns the nodes to run again: those neither completed nor skipped and the named ones, each with everything below, and
 * the
 * nodes below those with a `given` result. A finished step with `join` stays, unless a parent that counted runs again.
 */
export function nodesToRedo(
  state: RunState,
  named: Iterable<number> = [],
  given: Iterable<number> = [],
): ReadonlySet<number> {
  const open: number[] = [...named];
  for (const planNode of state.plan.nodes) {
    const { status } = nodeAt(state, planNode.index).now;
    if (status !== "completed" && status !== "skipped") open.push(planNode.index);
  }
  for (const index of given) open.push(...followersOf(state, index));
  const redo = new Set<number>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (redo.has(next)) continue;
    redo.add(next);
    open.push(...followersOf(state, next));
  }
  return redo;
}

function followersOf(state: RunState, index: number): readonly number[] {
  return required(state.plan.nodes[index], "a plan node").dependents.flatMap((dependent) => {
    const { counted, now } = nodeAt(state, dependent);
    if (counted === null) return [dependent];
    const isDone = now.status === "completed" || now.status === "skipped";
    return isDone && !counted.has(index) ? [] : [dependent, ...losersOf(state, dependent)];
  });
}

/** Returns the losers of a race. When a race runs again, all its participants run again. */
function losersOf(state: RunState, join: number): readonly number[] {
  const { parents } = required(state.plan.nodes[join], "a plan node");
  return parents.filter((parent) => {
    const { now } = nodeAt(state, parent);
    return now.status === "skipped" && now.reason === "race_lost";
  });
}

/** Returns the results of this run that a restarted run keeps. */
export function restartFrom(state: RunState, fromNode?: string): readonly Carried[] {
  const named = fromNode === undefined ? undefined : findNode(state, fromNode);
  return keep(state, nodesToRedo(state, named === undefined ? [] : [named.planIndex]));
}

/**
 * Returns the results of this run that a branch keeps. With other args, nodes whose inputs change and everything below
 * them
 * run again, and so do nodes that neither completed nor were skipped, with everything below them.
 */
export function branchFrom(state: RunState, args: JsonObject = state.args): readonly Carried[] {
  const changed = new Set(nodesWithChangedInputs(state, args));
  return keep(state, nodesToRedo(state, changed), changed);
}

/**
 * Returns what a run keeps that continues the turn of a node: all completed and skipped nodes not below it and, when it is
 * an
 * instance, the other instances that completed. `redo`: the nodes that run again.
 */
export function keptBeside(
  state: RunState,
  node: NodeState,
): { readonly carried: readonly Carried[]; readonly redo: ReadonlySet<number> } {
  const redo = nodesToRedo(state, [node.planIndex]);
  return { carried: keepBeside(state, { redo, changed: NONE, edited: [node] }), redo };
}

interface Editing {
  readonly redo: ReadonlySet<number>;
  /** Nodes with other inputs. None of their instances are kept. */
  readonly changed: ReadonlySet<number>;
  /** Nodes that are themselves edited. For an edited instance, the other instances that completed are kept. */
  readonly edited: readonly NodeState[];
}

export function keepBeside(state: RunState, { redo, changed, edited }: Editing): readonly Carried[] {
  const instances = edited.filter(({ instance }) => instance !== null);
  const members = state.nodes.filter((node) => instances.some((other) => isMemberBeside(node, other)));
  const ids = new Set(members.map(({ id }) => id));
  const others = members.filter((node) => {
    const { parents } = planNodeOf(state, node);
    const isGivenTheSame = !changed.has(node.planIndex) && parents.every((parent) => !redo.has(parent));
    return isGivenTheSame && instances.every((other) => isUntouched(state, node, other));
  });
  const carried = keep(state, redo, changed).filter(({ nodeId, status }) => status === "prompt" || !ids.has(nodeId));
  return [...carried, ...others.flatMap((node) => carriedOf(state, node))];
}

function isMemberBeside({ instance }: NodeState, other: NodeState): boolean {
  return instance !== null && instance.parent === other.instance?.parent;
}

/** A round reads the outputs of the round before it, so later rounds are not kept. */
function isUntouched(state: RunState, node: NodeState, edited: NodeState): boolean {
  if (!isMemberBeside(node, edited)) return true;
  const isRound = planNodeOf(state, node).repeat !== null;
  return node !== edited && (!isRound || (node.instance?.element ?? 0) < (edited.instance?.element ?? 0));
}

const NONE: ReadonlySet<number> = new Set();

function keep(state: RunState, redo: ReadonlySet<number>, changed = NONE): readonly Carried[] {
  const kept = state.nodes.flatMap((node) => (isKept(state, node, redo, changed) ? carriedOf(state, node) : []));
  return [...kept, ...openBlocks(state), ...promptsOf(state)];
}

/** A completed instance is kept when its node did not complete and runs again with the same list and inputs. */
function isKept(state: RunState, node: NodeState, redo: ReadonlySet<number>, changed: ReadonlySet<number>): boolean {
  if (node.instance === null) return !redo.has(node.planIndex);
  if (changed.has(node.planIndex) || node.now.status !== "completed") return false;
  const { parents } = planNodeOf(state, node);
  const isDone = nodeAt(state, node.planIndex).now.status === "completed";
  return !isDone && redo.has(node.planIndex) && parents.every((parent) => !redo.has(parent));
}

/** A block that did not complete is continued with its results so far. */
function openBlocks({ nodes }: RunState): readonly Carried[] {
  return nodes.flatMap(({ id: nodeId, now, lastBlock }): Carried[] => {
    if (lastBlock === null || now.status === "completed" || now.status === "skipped") return [];
    return [{ nodeId, status: "open", runId: lastBlock.runId, block: lastBlock.block }];
  });
}

/** Texts written for nodes also apply to the runs started from this one. */
function promptsOf({ prompts }: RunState): readonly CarriedPrompt[] {
  return Object.entries(prompts).map(([nodeId, { text, by }]) => ({
    nodeId,
    status: "prompt",
    text,
    ...(by === undefined ? {} : { by }),
  }));
}

function carriedOf(state: RunState, node: NodeState): readonly Carried[] {
  const { id: nodeId, now, counted } = node;
  const taken = eventsTakenByNode(state, node);
  const parents = {
    ...(counted === null ? {} : { counted: [...counted].map((index) => nodeAt(state, index).id) }),
    ...(taken.length === 0 ? {} : { taken }),
  };
  if (now.status === "completed") {
    return [{ nodeId, status: "completed", outputs: now.outputs, envelope: now.envelope, ...parents }];
  }
  return now.status === "skipped" ? [{ nodeId, status: "skipped", reason: now.reason, ...parents }] : [];
}
