import { findNode } from "../../core/engine/index.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { ResolvedInput } from "./input-queue.ts";

/** Wakes a node because a slot or a time window may be free. A node that no longer waits ignores it. */
export function resolveWake(nodeId: string): (live: DrivenRun) => ResolvedInput {
  return ({ state }) => {
    const node = findNode(state, nodeId);
    if (node === undefined) return { input: null };
    return { input: { type: "timer", timer: { kind: "wake", nodeId, epoch: node.epoch } } };
  };
}
