import { instantText } from "../calendar.ts";
import type { LaunchFacts, RateFact } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";
import { isWindowFull, windowText } from "./rate-limit.ts";

/** Limits how often one key, and all callers of an organisation together, start runs. Nothing queues: the caller gets a retry time. */
export const startRate: Gate<LaunchFacts> = {
  name: "start_rate",
  evaluate({ rate, organisationRate }): GateOutcome {
    if (rate !== null && isWindowFull(rate)) return full(rate, "key", "start the server with a higher --start-rate");
    if (organisationRate === undefined || !isWindowFull(organisationRate)) return PASS;
    return full(
      organisationRate,
      "organisation",
      "raise starts_per_minute of the organisation in the file of --limits",
    );
  },
};

function full(rate: RateFact, of: "key" | "organisation", raise: string): GateOutcome {
  const { count, perSeconds, used, freesAt } = rate;
  const retry = freesAt === null ? "try again later" : `try again at ${instantText(freesAt)}`;
  return {
    kind: "block",
    code: "rate_limited",
    message: `this ${of} has made ${windowText(rate, "starts")}; ${retry}`,
    after: "final",
    ...(freesAt === null ? {} : { until: freesAt }),
    facts: { used, count, perSeconds, freesAt },
    unblock: [
      { action: "wait", target: of, detail: retry },
      { action: "raise_start_rate", target: "server", detail: `or ${raise}` },
    ],
  };
}
