import { findNode } from "../../core/engine/index.ts";
import type { LiveRun } from "./live-run.ts";
import type { Telling } from "./run-queue.ts";

/** A slot or a window may be free for it; one that no longer waits is not told. */
export function wakeTelling(nodeId: string): (live: LiveRun) => Telling {
  return ({ state }) => {
    const node = findNode(state, nodeId);
    if (node === undefined) return { told: null };
    return { told: { type: "timer", timer: { kind: "wake", nodeId, epoch: node.epoch } } };
  };
}
