/** Shows: who is notified when a person has to agree, by rules of the workflow and of channels. */
import { z } from "zod";
import { agent, gate, workflow } from "sluice/workflow";

export default workflow(
  "pay-invoice",
  {
    notify: [
      { on: "approval.requested", where: "args.amount > 10000", channel: "board" },
      { on: "run.failed", channel: "ops" },
    ],
    args: z.object({ amount: z.number().default(12000) }),
  },
  ({ args }) => {
    const check = agent("check", { action: "read", command: `Check the invoice over ${args.amount}.` });
    const agree = gate("agree", {
      name: `Pay ${args.amount}?`,
      approvers: ["user:ann@example.com"],
      depends_on: [check],
    });
    agent("book", { command: `Book ${args.amount}.`, depends_on: [agree] });
  },
);
