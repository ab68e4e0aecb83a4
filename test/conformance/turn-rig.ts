import type { JsonObject } from "../../src/core/base/index.ts";
import type { AskedCall } from "../../src/core/event/index.ts";
import {
  NO_TOKENS,
  type RequestToolVerdict,
  type RoundVerdict,
  type ToolVerdict,
} from "../../src/core/engine/index.ts";
import { Rig, type RigOptions, workflow } from "./rig.ts";

const SOURCE = workflow(["a {command: help}", "b < a {command: go}"]);
export const ALLOWED: ToolVerdict = {
  disposition: "allow",
  verdictId: "v",
  action: "execute",
  effects: "at_least_once",
};
const RULE = {
  approvers: [],
  otherwise: null,
  expiresMs: 60_000,
  isSeparate: false,
  quorum: 1,
  show: [],
  form: null,
  confirm: null,
};
export const HELD: Extract<ToolVerdict, { disposition: "hold" }> = {
  disposition: "hold",
  verdictId: "v",
  action: "financial",
  effects: "at_most_once",
  gate: "policy_rules",
  message: "refunds over 100 need a person",
  agentId: "support",
  policies: ["refunds@1"],
  rule: RULE,
  facts: {
    provider: "ai-sdk",
    model: "m",
    trust: 2,
    estimateMicros: 7,
    reasons: [{ name: "refunds", reason: "much money" }],
  },
};

export const STOPPED = {
  disposition: "stop",
  verdictId: "v",
  gate: "budgets",
  code: "budget_exceeded",
  message: "nothing is left",
} as const satisfies RoundVerdict;

export function call(tool: string, args: JsonObject = {}) {
  return { tool, args };
}

/** A run whose node `a` is given to an agent that works in rounds. */
export class TurnRig extends Rig {
  round(round: number, calls: readonly ReturnType<typeof call>[], more: object = {}) {
    const { attempts, turn } = this.node("a");
    return this.submit({
      type: "round",
      nodeId: "a",
      attempt: attempts,
      segment: turn?.segment ?? 0,
      round,
      finish: calls.length === 0 ? "stop" : "tool_calls",
      text: `words ${round}`,
      message: { role: "assistant", round },
      calls,
      tokens: { ...NO_TOKENS, inputTokens: 10, outputTokens: 5 },
      costMicros: 100,
      ...more,
    });
  }

  /** A call that no round has named. */
  ask(round: number, position: number, asked: AskedCall, { waits = false } = {}) {
    const { attempts, turn } = this.node("a");
    const callId = `run_1/a/0/${round}/${position}`;
    const about = { nodeId: "a", attempt: attempts, segment: turn?.segment ?? 0, callId, round };
    return this.submit({ type: "tool_call", ...about, call: asked, waits });
  }

  /** Approves a call that is held, the adapter still being at work. */
  resolve(callId: string, more: object = {}) {
    const ruling = this.node("a").turn?.calls.get(callId)?.ruling;
    const approvalId = ruling?.kind === "hold" ? ruling.approvalId : "";
    return this.submit({ type: "approval", approvalId, decision: "approve", by: "ann", ...more });
  }

  result(round: number, position: number, result: string, more: object = {}) {
    const { attempts, turn } = this.node("a");
    const callId = `run_1/a/0/${round}/${position}`;
    const about = { nodeId: "a", attempt: attempts, segment: turn?.segment ?? 0, callId };
    return this.submit({ type: "tool_result", ...about, result, isError: false, durationMs: 3, ...more });
  }

  suspend(transcript: JsonObject | null = null) {
    const { attempts, turn } = this.node("a");
    const result = { status: "suspended", transcript, tokens: NO_TOKENS, costMicros: 0 } as const;
    return this.submit({ type: "callback", nodeId: "a", attempt: attempts, segment: turn?.segment ?? 0, result });
  }

  lose() {
    return this.submit({ type: "timer", timer: { kind: "lost", nodeId: "a", attempt: this.node("a").attempts } });
  }

  rulings(): readonly string[] {
    return [...(this.node("a").turn?.calls.values() ?? [])].map(({ tool, ruling }) => `${tool} ${ruling.kind}`);
  }
}

export function turnOf(options: RigOptions = {}, source = SOURCE): TurnRig {
  return new TurnRig(source, options).start();
}

export const holding =
  (...tools: readonly string[]) =>
  ({ call: { tool } }: RequestToolVerdict): ToolVerdict | undefined =>
    tools.includes(tool) ? HELD : undefined;
