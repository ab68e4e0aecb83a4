import { createHash } from "node:crypto";
import { canonicalJson, type JsonObject } from "../../../src/core/base/index.ts";
import type { RunEvent } from "../../../src/core/event/index.ts";
import { effectsOf } from "../world/tool-server.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

type Decided = Extract<RunEvent, { readonly type: "tool.decided" }>;

function describe(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalJson(args)}`;
}

function digestOf(args: JsonObject): string {
  return `sha256:${createHash("sha256").update(canonicalJson(args)).digest("hex")}`;
}

/** No tool is called without an earlier allow for the same call and the same args, given by a gate or by a person. */
export function callsAreAllowed(): Checker {
  const asked = new Map<string, { readonly tool: string; readonly args: JsonObject }>();
  const allowed = new Set<string>();
  return {
    id: "allowed",
    beforeEvent({ facts, event, turn }: Seen): void {
      const fail = (message: string) => new Violation("allowed", facts.runId, message);
      if (event.type === "tool.requested") {
        const { callId, tool, args, argsDigest } = event.payload;
        if (argsDigest !== digestOf(args)) throw fail(`${callId} has the digest of other args`);
        asked.set(callId, { tool, args });
      }
      if (event.type !== "tool.decided" || event.payload.disposition !== "allow") return;
      const { callId, args } = event.payload;
      if (!isGiven(event, turn.input)) throw fail(`${callId} is allowed, and neither a gate nor a person has`);
      const call = asked.get(callId);
      if (call === undefined) throw fail(`${callId} is allowed and was never asked for`);
      allowed.add(`${callId} ${describe(call.tool, args ?? call.args)}`);
    },
    made(facts, { callId, tool, args, execution }): void {
      const call = describe(tool, args);
      if (allowed.has(`${callId} ${call}`)) return;
      throw new Violation(
        "allowed",
        facts.runId,
        `${execution.dispatchId} called ${call} as ${callId}: it was not allowed`,
      );
    },
  };
}

/** What was submitted says so: the verdict about this call, or an answer, also one that follows when none comes. */
function isGiven({ payload }: Decided, input: Seen["turn"]["input"]): boolean {
  if (input.type === "tool_verdict" && input.callId === payload.callId && payload.approvalId === undefined)
    return input.verdict.disposition === "allow";
  const isAnswer = input.type === "approval" || input.type === "tool_verdict" || input.type === "timer";
  return isAnswer && payload.approvalId !== undefined;
}

/** A call whose result is recorded is not made by an execution that was sent after that. */
export function completedStays(): Checker {
  const completed = new Map<string, number>();
  return {
    id: "completed",
    beforeEvent({ event }: Seen): void {
      if (event.type === "tool.completed") completed.set(event.payload.callId, event.eventId);
    },
    made(facts, { callId, execution }): void {
      const eventId = completed.get(callId);
      if (eventId === undefined || execution.sentAfter < eventId) return;
      const message = `${execution.dispatchId} made ${callId} again, which had completed by event ${eventId}`;
      throw new Violation("completed", facts.runId, message);
    },
  };
}

/** What may happen once is called once, and once more for each time a person says so. */
export function calledAtMostOnce(): Checker {
  const made = new Map<string, number>();
  const callOf = new Map<string, string>();
  const again = new Map<string, number>();
  return {
    id: "at_most_once",
    beforeEvent({ event }: Seen): void {
      if (event.type === "tool.decided" && event.payload.approvalId !== undefined)
        callOf.set(event.payload.approvalId, event.payload.callId);
      if (event.type !== "approval.resolved" || event.payload.decision !== "retry") return;
      const callId = callOf.get(event.payload.approvalId);
      if (callId !== undefined) again.set(callId, (again.get(callId) ?? 0) + 1);
    },
    made(facts, { callId, tool }): void {
      if (effectsOf(tool) !== "at_most_once") return;
      const times = (made.get(callId) ?? 0) + 1;
      made.set(callId, times);
      if (times <= 1 + (again.get(callId) ?? 0)) return;
      throw new Violation("at_most_once", facts.runId, `${tool} was called ${times} times as ${callId}`);
    },
  };
}

/** An approval is used once, for the call it was asked about and for what it was given for. */
export function approvalsAreUsedOnce(): Checker {
  const held = new Map<string, { readonly callId: string; readonly args: JsonObject }>();
  const argsOf = new Map<string, JsonObject>();
  const answered = new Map<string, { readonly decision: string | undefined; readonly args: unknown }>();
  const used = new Set<string>();
  return {
    id: "approval_use",
    beforeEvent({ facts, event }: Seen): void {
      const fail = (message: string) => new Violation("approval_use", facts.runId, message);
      if (event.type === "tool.requested") argsOf.set(event.payload.callId, event.payload.args);
      if (event.type === "approval.resolved" && held.has(event.payload.approvalId)) {
        const { approvalId, status, decision, modifications } = event.payload;
        const isYes = status === "approved";
        answered.set(approvalId, { decision: isYes ? decision : undefined, args: modifications?.["args"] });
      }
      if (event.type !== "tool.decided" || event.payload.approvalId === undefined) return;
      const { approvalId, callId, disposition, args } = event.payload;
      if (disposition === "hold") {
        if (held.has(approvalId)) throw fail(`${approvalId} holds two calls`);
        held.set(approvalId, { callId, args: argsOf.get(callId) ?? {} });
        return;
      }
      const question = held.get(approvalId);
      if (question?.callId !== callId) throw fail(`${approvalId} was asked about ${question?.callId}, not ${callId}`);
      if (used.has(approvalId)) throw fail(`${approvalId} is used twice`);
      used.add(approvalId);
      const answer = answered.get(approvalId);
      if (disposition !== "allow") return;
      if (answer?.decision !== "approve" && answer?.decision !== "retry")
        throw fail(`${callId} is allowed although ${approvalId} was not approved`);
      const meant = (answer.args ?? question.args) as JsonObject;
      const given = args ?? question.args;
      if (canonicalJson(meant) !== canonicalJson(given))
        throw fail(`${callId} is allowed with other args than approved`);
      argsOf.set(callId, given);
    },
  };
}
