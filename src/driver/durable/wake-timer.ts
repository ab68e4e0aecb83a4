import { findNode } from "../../core/engine/index.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { ResolvedInput } from "./input-queue.ts";

/** A slot or a window may be free for it; a node that no longer waits receives nothing. */
export function resolveWake(nodeId: string): (live: DrivenRun) => ResolvedInput {
  return ({ state }) => {
    const node = findNode(state, nodeId);
    if (node === undefined) return { input: null };
    return { input: { type: "timer", timer: { kind: "wake", nodeId, epoch: node.epoch } } };
  };
}
