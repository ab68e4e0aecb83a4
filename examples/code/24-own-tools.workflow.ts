/** Shows: tools that a step brings itself: another workflow, whose run is the call, and a script: see docs/tools.md. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow("own-tools", { args: z.object({ order: z.int().default(7) }) }, ({ args }) => {
  agent("help", {
    agent: "clerk",
    command: `Order ${args.order} arrived broken after 40 of 120 days of guarantee. Pay back what the customer is owed.`,
    tools: [
      {
        name: "owed",
        description: "What is left of a price after some days of guarantee.",
        script: "return { amount: Math.round((inputs.price * (inputs.guarantee - inputs.days)) / inputs.guarantee) };",
        parameters: z.object({ price: z.number(), days: z.int(), guarantee: z.int() }),
      },
      { name: "workflow:pay-back", action: "financial" },
    ],
  });
});
