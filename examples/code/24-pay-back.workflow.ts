/** Shows: a workflow that an agent calls as a tool: its args are those of the call, its outputs the result. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "pay-back",
  { args: z.object({ order: z.int().default(7), amount: z.int().default(600) }) },
  ({ args }) => {
    const pay = agent("pay", { command: `Pay back ${args.amount} for order ${args.order}` });
    agent("note", { command: `Note in the books that ${args.amount} were paid back`, depends_on: [pay] });
    return { receipt: pay.stdout };
  },
);
