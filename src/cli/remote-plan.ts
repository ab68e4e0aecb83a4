import type { Catalog } from "../core/definition/index.ts";
import { checkSource, type Plan } from "../core/plan/index.ts";
import { outlineOf } from "../core/view/index.ts";
import { ApiError, type Run } from "../client/index.ts";
import type { Api } from "./api.ts";
import type { Followed } from "./follow.ts";
import { blockOutlinesOf } from "./shown-family.ts";

/** Catalog that skips checks of library, lenses and workflows, which only the server knows. */
export const SERVER_CATALOG: Catalog = { library: null, lenses: null, workflows: null };

/** Returns the plan of a version on the server. Null when this program cannot read it or has no permission. */
export async function planOfVersion(api: Api, name: string, version: number): Promise<Plan | null> {
  try {
    const { source } = await api.getVersion(name, version);
    return checkSource(source, SERVER_CATALOG, { isStored: true }).plan;
  } catch (thrown) {
    if (thrown instanceof ApiError && (thrown.status === 403 || thrown.status === 404)) return null;
    throw thrown;
  }
}

/** Returns the data needed to show a run: its nodes in order, and the nodes that produce the result. */
export async function followedOf(api: Api, run: Run): Promise<Followed> {
  const { id: runId, workflow, version } = run;
  const plan = version === null ? null : await planOfVersion(api, workflow, version);
  if (plan !== null) {
    // The plan of a block is one of the blocks in its workflow's plan.
    const own = run.block === null || run.block === undefined ? plan : (plan.blocks.get(run.block) ?? plan);
    return { runId, workflow, outline: outlineOf(own), blocks: blockOutlinesOf(plan), leaves: leavesOf(own) };
  }
  const { nodeResults } = await api.getState(runId);
  const nodes = nodeResults
    .filter(({ nodeId }) => !nodeId.includes("["))
    .map(({ nodeId, label, wave }) => ({ id: nodeId, label, wave }));
  const last = Math.max(0, ...nodes.map(({ wave }) => wave));
  // Without the plan the dependencies are unknown, but the nodes of the last wave cannot have dependents.
  const leaves = nodes.filter(({ wave }) => wave === last).map(({ id }) => id);
  return { runId, workflow, outline: { nodes }, blocks: new Map(), leaves };
}

/** Returns the nodes that no other node depends on. */
export function leavesOf(plan: Plan): readonly string[] {
  return plan.nodes.filter(({ dependents }) => dependents.length === 0).map(({ id }) => id);
}
