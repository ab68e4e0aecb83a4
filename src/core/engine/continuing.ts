import { failNode } from "./failing.ts";
import type { NodeState } from "./state.ts";
import { about, emit, type Turn } from "./turn.ts";

/** What the agent has done is known: the next execution continues from there, once people have said what is not. */
export function continueLost(turn: Turn, node: NodeState, segment: number): void {
  const message = `${node.id} was lost while the run ended`;
  if (turn.state.ending !== null) return failNode(turn, node, { code: "dispatch_failed", message });
  emit(turn, "node.queued", { ...about(node), waitingReason: "queued", segment });
}
