import { failNode } from "./failing.ts";
import type { NodeState } from "./state.ts";
import { about, emit, type Turn } from "./turn.ts";

/** Continues a lost execution. The agent's work so far is recorded, and the next execution starts after people have answered open
 * questions. */
export function continueLost(turn: Turn, node: NodeState, segment: number): void {
  const message = `${node.id} was lost while the run ended`;
  if (turn.state.ending !== null) return failNode(turn, node, { code: "dispatch_failed", message });
  emit(turn, "node.queued", { ...about(node), waitingReason: "queued", segment });
}
