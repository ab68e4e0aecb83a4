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
  evaluate({ rate, organisationRate, agentId }): GateOutcome {
    if (rate !== null && isWindowFull(rate)) {
      const raise = `raise rate_limit above ${rate.count} per ${rate.perSeconds} s`;
      return full(rate, { who: agentId, target: `Agent/${agentId}`, field: "rate_limit", raise });
    }
    if (organisationRate === undefined || !isWindowFull(organisationRate)) return PASS;
    const raise = `raise nodes_per_second of the organisation above ${organisationRate.count}`;
    return full(organisationRate, {
      who: "the organisation",
      target: "organisation",
      field: "nodes_per_second",
      raise,
    });
  },
};

interface Limited {
  readonly who: string;
  readonly target: string;
  readonly field: string;
  readonly raise: string;
}

function full(rate: RateFact, { who, target, field, raise }: Limited): GateOutcome {
  const { count, perSeconds, used, freesAt } = rate;
  const wait = freesAt === null ? "wait" : `wait until ${instantText(freesAt)}`;
  return {
    kind: "block",
    code: "rate_limited",
    message: `${who} has had ${windowText(rate, "dispatches")}; raise ${field}, or ${wait}`,
    after: "queue",
    waitingReason: "rate_limit",
    ...(freesAt === null ? {} : { until: freesAt }),
    facts: { ...(target === "organisation" ? {} : { agent: who }), used, count, perSeconds, freesAt },
    unblock: [
      { action: "raise_limit", target, detail: raise },
      { action: "wait", target, detail: `${wait}: then the next dispatch fits` },
    ],
  };
}
