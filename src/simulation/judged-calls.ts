import type { RunEvent } from "../core/event/index.ts";

/** A tool call of an agent, with the result of the gates before any person answered. */
export interface JudgedCall {
  readonly nodeId: string;
  readonly callId: string;
  readonly round: number;
  readonly tool: string;
  readonly server: string | null;
  readonly action: string;
  readonly disposition: "allow" | "deny" | "hold";
  readonly gate: string | null;
  readonly code: string | null;
  /** Why the call would be denied, or whose answer it would wait for; null when it would be made. */
  readonly reason: string | null;
}

/** Returns the calls in the order in which they were requested. */
export function judgedCalls(log: readonly RunEvent[]): readonly JudgedCall[] {
  const calls = new Map<string, JudgedCall>();
  const asked = new Map<string, Pick<JudgedCall, "nodeId" | "round" | "tool" | "server" | "action">>();
  const questions = new Map<string, string>();
  for (const { type, payload } of log) {
    if (type === "approval.requested") questions.set(payload.approvalId, payload.summary);
    if (type === "tool.requested") {
      const { nodeId, callId, round, tool, server = null, action } = payload;
      asked.set(callId, { nodeId, round, tool, server, action });
    }
    if (type !== "tool.decided" || calls.has(payload.callId)) continue;
    const { callId, disposition, gate = null, code = null, reason, approvalId = "" } = payload;
    const call = asked.get(callId);
    if (call === undefined) continue;
    const why = disposition === "hold" ? questions.get(approvalId) : reason;
    calls.set(callId, { callId, ...call, disposition, gate, code, reason: why ?? null });
  }
  return [...calls.values()];
}
