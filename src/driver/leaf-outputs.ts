import type { JsonObject } from "../core/base/index.ts";
import type { Completed, RunState } from "../core/engine/index.ts";

/** Completed nodes that nothing depends on, in plan order: what a run has to show for itself. */
function completedLeaves(state: RunState): readonly { readonly nodeId: string; readonly now: Completed }[] {
  return state.plan.nodes.flatMap((node) => {
    const now = state.nodes[node.index]?.now;
    return node.dependents.length === 0 && now?.status === "completed" ? [{ nodeId: node.id, now }] : [];
  });
}

/** `{leafId: outputs}`: what a parent gets from its child run; skipped leaves are absent. */
export function leafOutputs(state: RunState): JsonObject {
  return Object.fromEntries(completedLeaves(state).map(({ nodeId, now }) => [nodeId, now.outputs]));
}

/** The same for those outside: a leaf without outputs stands with its text, `{leafId: {stdout}}`. */
export function shownOutputs(state: RunState): JsonObject {
  return Object.fromEntries(
    completedLeaves(state).map(({ nodeId, now: { outputs, envelope } }) => {
      const isPlain = Object.keys(outputs).length === 0;
      return [nodeId, isPlain ? { stdout: envelope.output } : outputs];
    }),
  );
}
