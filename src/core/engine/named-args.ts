import { outputDataOf } from "../outputs/index.ts";
import { nameOfLabel } from "../template/index.ts";
import { nodeAt } from "./move.ts";
import type { RunState } from "./state.ts";

/** Converts the root inputs of a lens graph from labels to names, since steps and values read them by name. */
export function withNames(state: RunState): RunState {
  if (state.plan.format !== "lens-graph") return state;
  const named = Object.entries(state.args).map(([label, value]) => [nameOfLabel(label), value] as const);
  return { ...state, args: Object.fromEntries(named) };
}

/** Like `withNames`, with the outputs of completed nodes of the graph added. */
export function withReturned(state: RunState): RunState {
  if (state.plan.format !== "lens-graph") return state;
  const returned = state.plan.nodes.flatMap(({ id, index }) => {
    const { now } = nodeAt(state, index);
    return now.status === "completed" ? [[nameOfLabel(id), outputDataOf(now.envelope, now.outputs)] as const] : [];
  });
  return { ...state, args: { ...withNames(state).args, ...Object.fromEntries(returned) } };
}
