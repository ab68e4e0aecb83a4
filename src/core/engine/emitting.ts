/** Nodes that emit an event. They are computed, and complete in the commit that stores the event. */
import { isJsonObject, type JsonObject, LIMITS, utf8Length } from "../base/index.ts";
import type { Emit } from "../definition/index.ts";
import { failNode } from "./failing.ts";
import { completeNode, dataResult } from "./settle.ts";
import type { NodeState } from "./state.ts";
import { about, emit, perform, type Turn } from "./turn.ts";

export function emitEvent(turn: Turn, node: NodeState, { type, keepMs }: Emit, values: JsonObject): void {
  const { key: written = {}, data = {} } = values;
  const key = isJsonObject(written) ? written : {};
  const size = utf8Length(JSON.stringify({ key, data }));
  if (size > LIMITS.eventBytesMax) {
    const message = `the event of ${node.id} has ${size} bytes, the limit is ${LIMITS.eventBytesMax}`;
    return failNode(turn, node, { code: "event_too_large", message });
  }
  const { runId, hops } = turn.state;
  const id = `${runId}/${node.id}/${node.epoch}`;
  emit(turn, "event.emitted", { ...about(node), id, type, key, data });
  perform(turn, { type: "emit-event", event: { id, type, key, data }, keepMs, hops: hops + 1 });
  completeNode(turn, node, dataResult({ id, type }));
}
