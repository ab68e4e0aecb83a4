import type { RunEvent } from "../../src/core/event/index.ts";

/** Ids, times, where it ran, and sentences about the provider: all that may differ between two runs of the same thing. */
const DIFFERS: ReadonlySet<string> = new Set([
  "eventId",
  "at",
  "durationMs",
  "startedAt",
  "verdictId",
  "agentId",
  "gatewayId",
  "provider",
  "executionPath",
  "hash",
  "trigger",
  "delayMs",
  "until",
  "deadlineAt",
  "errorMessage",
  "deltaIndex",
  "variableOverwriteOrder",
  "sourceRunId",
]);

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (DIFFERS.has(key) ? [] : [[key, without(member)]])),
  );
}

/** What happened to the run and to each node, in order; the pieces of one text are joined, since only time cuts them. */
export function comparable(
  events: readonly RunEvent[],
  isCutShort = false,
): Readonly<Record<string, readonly unknown[]>> {
  const byNode = new Map<string, unknown[]>();
  const streamed = new Map<string, { type: string; text: string }>();
  for (const { type, payload } of events) {
    const nodeId = "nodeId" in payload && typeof payload.nodeId === "string" ? payload.nodeId : "";
    // A page knows no prices.
    if (type === "node.log" && "message" in payload && payload.message.startsWith("The price of")) continue;
    // Nor does it guess what a call used that was cut short.
    if (type === "cost.recorded" && isCutShort) continue;
    const entries = byNode.get(nodeId) ?? [];
    byNode.set(nodeId, entries);
    if (type !== "node.stream.delta") {
      streamed.delete(nodeId);
      entries.push({ type, payload: without(payload) });
      continue;
    }
    const text = (payload as { readonly text?: string }).text ?? "";
    const before = streamed.get(nodeId);
    if (before !== undefined) before.text += text;
    else {
      const piece = { type, text };
      streamed.set(nodeId, piece);
      entries.push(piece);
    }
  }
  return Object.fromEntries([...byNode].sort(([left], [right]) => (left < right ? -1 : 1)));
}
