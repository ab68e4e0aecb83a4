import type { Catalog } from "../core/definition/index.ts";
import { checkSource, type Plan } from "../core/plan/index.ts";
import { outlineOf } from "../core/view/index.ts";
import { ApiError, type Run } from "../client/index.ts";
import type { Api } from "./api.ts";
import type { Followed } from "./follow.ts";
import { blockOutlinesOf } from "./shown-family.ts";

/** The server knows its library, lenses and workflows; here they are taken on trust. */
export const SERVER_CATALOG: Catalog = { library: null, lenses: null, workflows: null };

/** The plan of a version on the server; null when this program cannot read it, or may not. */
export async function planOfVersion(api: Api, name: string, version: number): Promise<Plan | null> {
  try {
    const { source } = await api.getVersion(name, version);
    return checkSource(source, SERVER_CATALOG, { isStored: true }).plan;
  } catch (thrown) {
    if (thrown instanceof ApiError && (thrown.status === 403 || thrown.status === 404)) return null;
    throw thrown;
  }
}

/** What it takes to show a run: its nodes in order, and which of them hold the result. */
export async function followedOf(api: Api, run: Run): Promise<Followed> {
  const { id: runId, workflow, version } = run;
  const plan = version === null ? null : await planOfVersion(api, workflow, version);
  if (plan !== null) {
    // Of a block, the plan is one of those its file holds.
    const own = run.block === null || run.block === undefined ? plan : (plan.blocks.get(run.block) ?? plan);
    return { runId, workflow, outline: outlineOf(own), blocks: blockOutlinesOf(plan), leaves: leavesOf(own) };
  }
  const { nodeResults } = await api.getState(runId);
  const nodes = nodeResults
    .filter(({ nodeId }) => !nodeId.includes("["))
    .map(({ nodeId, label, wave }) => ({ id: nodeId, label, wave }));
  const last = Math.max(0, ...nodes.map(({ wave }) => wave));
  // Without the plan it is unknown what depends on what, but the last wave has no dependents for certain.
  const leaves = nodes.filter(({ wave }) => wave === last).map(({ id }) => id);
  return { runId, workflow, outline: { nodes }, blocks: new Map(), leaves };
}

/** Nodes that nothing depends on. */
export function leavesOf(plan: Plan): readonly string[] {
  return plan.nodes.filter(({ dependents }) => dependents.length === 0).map(({ id }) => id);
}
