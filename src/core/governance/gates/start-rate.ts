import { instantText } from "../calendar.ts";
import type { LaunchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";
import { isWindowFull, windowText } from "./rate-limit.ts";

/** How often one key may start runs. No request queues here: the caller is given a time to try again. */
export const startRate: Gate<LaunchFacts> = {
  name: "start_rate",
  evaluate({ rate }): GateOutcome {
    if (rate === null || !isWindowFull(rate)) return PASS;
    const { count, perSeconds, used, freesAt } = rate;
    const retry = freesAt === null ? "try again later" : `try again at ${instantText(freesAt)}`;
    return {
      kind: "block",
      code: "rate_limited",
      message: `this key has made ${windowText(rate, "starts")}; ${retry}`,
      after: "final",
      ...(freesAt === null ? {} : { until: freesAt }),
      facts: { used, count, perSeconds, freesAt },
      unblock: [
        { action: "wait", target: "key", detail: retry },
        { action: "raise_start_rate", target: "server", detail: "or start the server with a higher --start-rate" },
      ],
    };
  },
};
