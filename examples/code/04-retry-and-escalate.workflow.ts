/** Shows: a retry block with backoff, a bare retry policy, and an escalation to a person after the second failure. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "flaky-supplier",
  {
    description:
      "Fetches prices from a supplier that is often busy, checks them, and asks a person when the check keeps failing.",
  },
  () => {
    const fetchStep = agent("fetch", {
      command: "Fetch today's price list.",
      retry: {
        attempts: 3,
        backoff_ms: 20,
        max_backoff_ms: 100,
        retry_on: ["rate_limit", "timeout", "provider_error"],
      },
      on_failure: "halt",
      outputs: z.object({ prices: z.array(z.number()) }),
    });
    const check = agent("check", {
      command: `Check that no price moved by more than a tenth. Prices - ${fetchStep.prices}`,
      on_failure: "retry_once_then_escalate",
      outputs: z.object({ verdict: z.enum(["FINE", "ODD"]) }),
    });
    agent("store", { command: `Store the list, marked ${check.verdict}.`, on_failure: "retry_once" });
  },
);
