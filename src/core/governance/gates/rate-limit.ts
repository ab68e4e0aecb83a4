import { instantText } from "../calendar.ts";
import type { DispatchFacts, RateFact } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

export function isWindowFull({ used, count }: RateFact): boolean {
  return !(used < count);
}

export function windowText({ used, count, perSeconds }: RateFact, what: string): string {
  return `${used} of ${count} ${what} in ${perSeconds} s`;
}

export const rateLimit: Gate<DispatchFacts> = {
  name: "rate_limit",
  evaluate({ rate, agentId }): GateOutcome {
    if (rate === null || !isWindowFull(rate)) return PASS;
    const { count, perSeconds, used, freesAt } = rate;
    const wait = freesAt === null ? "wait" : `wait until ${instantText(freesAt)}`;
    return {
      kind: "block",
      code: "rate_limited",
      message: `${agentId} has had ${windowText(rate, "dispatches")}; raise rate_limit, or ${wait}`,
      after: "queue",
      waitingReason: "rate_limit",
      ...(freesAt === null ? {} : { until: freesAt }),
      facts: { agent: agentId, used, count, perSeconds, freesAt },
      unblock: [
        {
          action: "raise_limit",
          target: `Agent/${agentId}`,
          detail: `raise rate_limit above ${count} per ${perSeconds} s`,
        },
        { action: "wait", target: `Agent/${agentId}`, detail: `${wait}: then the next dispatch fits` },
      ],
    };
  },
};
