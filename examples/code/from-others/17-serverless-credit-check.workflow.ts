/** Shows: a request whose answer comes later as an event, and another workflow that continues. */
import { z } from "zod";
import { agent, child, eq, http, ne, wait, workflow } from "sluice/workflow";
import loanApplication from "./17-loan-application.workflow.ts";

export default workflow("credit-check", { args: z.object({ customer: z.string().default("c-1") }) }, ({ args }) => {
  const request = http("request", { url: "credit-checks", body: { customer: args.customer } });
  const decision = wait(
    "decision",
    { event: "credit.checked", match: { customer: args.customer }, timeout: "15m", on_timeout: "continue" },
    { outputs: z.object({ decision: z.string().optional() }), depends_on: [request] },
  );
  child("start", loanApplication, { customer: args.customer }, { when: eq(decision.decision, "Approved") });
  agent("refuse", {
    when: ne(decision.decision, "Approved"),
    command: `Write a letter of refusal to ${args.customer}.`,
  });
});
