import { instantText } from "../calendar.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";
import type { CallFacts, ToolRateFact } from "../tool-fact.ts";
import { isWindowFull, windowText } from "./rate-limit.ts";

/** Every window that counts the tool must have room. No call queues here: the model receives a time to try again. */
export const toolRate: Gate<CallFacts> = {
  name: "tool_rate",
  evaluate({ rates, agentId, tool, at }): GateOutcome {
    let last: ToolRateFact | null = null;
    // Reports the window that stays full longest, because no call can pass before it has room.
    for (const one of rates) {
      if (isWindowFull(one) && (last === null || (one.freesAt ?? at) > (last.freesAt ?? at))) last = one;
    }
    if (last === null) return PASS;
    const { rule, count, perSeconds, used, freesAt } = last;
    const retryAfterSeconds = freesAt === null ? null : Math.max(1, Math.ceil((freesAt - at) / 1_000));
    const retry = retryAfterSeconds === null ? "try again later" : `try again after ${retryAfterSeconds} s`;
    return {
      kind: "block",
      code: "tool_rate_limited",
      message: `${agentId} has made ${windowText(last, `calls of ${tool.name}`)}; ${retry}`,
      after: "final",
      ...(freesAt === null ? {} : { until: freesAt }),
      facts: { tool: tool.name, agent: agentId, rule, used, count, perSeconds, freesAt, retryAfterSeconds },
      unblock: [
        { action: "raise_limit", target: `Tool/${rule}`, detail: `raise rate above ${count} per ${perSeconds} s` },
        ...(freesAt === null
          ? []
          : [{ action: "wait", target: `Tool/${rule}`, detail: `from ${instantText(freesAt)} on the next call fits` }]),
      ],
    };
  },
};
