/** Blocks: steps inside a step, run as a run of their own. That run receives the outer values its steps read. */
import {
  fail,
  type Failure,
  getOwn,
  invariant,
  type Json,
  type JsonObject,
  type Outcome,
  succeed,
} from "../base/index.ts";
import { evaluateCondition, type Path } from "../expression/index.ts";
import type { BranchPlan, LensBody, PlanNode, StepBody } from "../plan/index.ts";
import { nameOfLabel, type Values } from "../template/index.ts";
import { bindLens } from "./bind-lens.ts";
import { type Findings, NO_FINDINGS } from "./binding.ts";
import type { StartChild } from "./effect.ts";
import { givenValues } from "./given-values.ts";
import { findValue, isUncounted, outputsOf, referenceIn } from "./references.ts";
import { nodeAt } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import { noteHandoff, resolverFor, type Scene, sceneOf, sceneOfRun } from "./value.ts";

/** A block that a node runs, with the values passed to it. */
export interface BlockCall {
  readonly block: string;
  readonly with: Values;
}

/** Returns the block a node runs. Of several branches, the first whose condition holds; null when none does. */
export function blockToRun(state: RunState, node: NodeState, planNode: PlanNode): Outcome<BlockCall | null, Failure> {
  const { child, choose, body } = planNode;
  if (child !== null && "block" in child) return succeed({ block: child.block, with: freeOf(body) });
  const found = resolverIn(state, node, planNode);
  if (!found.ok) return found;
  const resolve = found.value;
  for (const branch of choose ?? []) {
    if (branch.when === null) return succeed(branch);
    const holds = evaluateCondition(branch.when.root, resolve);
    if (!holds.ok) return fail({ code: holds.failure.code, message: `when: ${holds.failure.message}` });
    if (holds.value) return succeed(branch);
  }
  return succeed(null);
}

/** Returns the block that was started, by its path. */
export function blockByPath({ child, choose, body }: PlanNode, path: string): BlockCall | null {
  if (child !== null && "block" in child) return { block: child.block, with: freeOf(body) };
  return branchByPath(choose, path) ?? null;
}

function freeOf(body: PlanNode["body"]): Values {
  return body.kind === "step" ? body.with : (body.inside?.with ?? {});
}

/** Returns the resolver for branch conditions. For a lens node, they read its inputs by label. */
function resolverIn(
  state: RunState,
  node: NodeState,
  planNode: PlanNode,
): Outcome<(path: Path) => Json | undefined, Failure> {
  const { body } = planNode;
  if (body.kind === "step") return succeed(resolverFor(state, node, body));
  const inside = sceneInside(state, node, planNode, body);
  if (!inside.ok) return inside;
  const { scene } = inside.value;
  return succeed((path) => {
    const found = findValue(scene.state, node, referenceIn(scene.scope, path));
    return found.kind === "value" ? found.value : undefined;
  });
}

/** Returns the scene for the work of a lens node, in which its inputs are visible under the names of their labels. */
export function sceneInside(
  state: RunState,
  node: NodeState,
  planNode: PlanNode,
  body: LensBody,
): Outcome<{ readonly scene: Scene; readonly findings: Findings }, Failure> {
  const binding = bindLens(state, node, planNode, body);
  if (binding.kind === "failed") return fail(binding.failure);
  invariant(binding.kind === "bound", "only a template lacks values");
  const given = Object.entries(binding.request.inputs).map(([label, value]) => [nameOfLabel(label), value] as const);
  const scene = sceneOfRun({ ...state, args: Object.fromEntries(given) }, body.inside?.scope ?? new Map());
  return succeed({ scene: { ...scene, node }, findings: binding });
}

function branchByPath(choose: PlanNode["choose"], path: string): BranchPlan | undefined {
  return choose?.find(({ block }) => block === path);
}

/** Returns the outputs of the node: those of its block, and the name of the branch that was taken. */
export function withBranch({ choose }: PlanNode, path: string | null, outputs: JsonObject): JsonObject {
  const branch = path === null ? undefined : branchByPath(choose, path);
  return branch === undefined ? outputs : { ...outputs, branch: branch.name };
}

/** Binds the args of a block. A reference without a value is left out; the step that reads it decides whether this is an error. */
export function bindFree(scene: Scene, values: Values): JsonObject {
  const args: [string, JsonObject[string]][] = [];
  const byName = scene.node === null ? {} : givenValues(scene.state, scene.node);
  for (const [name, value] of Object.entries(values)) {
    if (value.kind !== "reference") continue;
    const reference = referenceIn(scene.scope, value.path);
    const given = scene.given?.find(reference) ?? getOwn(byName, name);
    const found = findValue(scene.state, scene.node, reference);
    if (given !== undefined) args.push([name, given]);
    else if (found.kind === "value") {
      noteHandoff(scene, reference, `with.${name}`);
      args.push([name, found.value]);
    } else if (reference.origin.kind === "node" && reference.origin.part === "outputs") {
      const left = outputsLeftBySource(scene, reference.origin.node);
      if (Object.keys(left).length > 0) args.push([name, left]);
    }
  }
  return Object.fromEntries(args);
}

/** Returns the mark of a tolerated failure. A parent that a join did not count leaves nothing. */
function outputsLeftBySource({ state, node }: Scene, source: number): JsonObject {
  return node !== null && isUncounted(state, node, source) ? {} : outputsOf(nodeAt(state, source));
}

export function findingsOfBlock(state: RunState, node: NodeState, body: StepBody, call: BlockCall): Findings {
  const scene = sceneOf(state, node, body);
  bindFree(scene, call.with);
  return scene.failure === null ? scene.gathering.findings : NO_FINDINGS;
}

/** A reopened run continues a block with the results it has. A retry starts the block over. */
export function continuedRun(state: RunState, node: NodeState, block: string): string | null {
  const { lastBlock } = node;
  const run = lastBlock ?? state.carriedBlocks.get(node.id);
  if (run?.block !== block) return null;
  const isOpen = lastBlock === null || (state.isRecovering && lastBlock.epoch < state.epoch);
  return isOpen ? run.runId : null;
}

/** Returns the run whose file contains a block, in the form the run of the block receives. */
export function ownerOf({ owner, runId, args, recursionDepth }: RunState): NonNullable<StartChild["owner"]> {
  return owner ?? { runId, args, depth: recursionDepth };
}
