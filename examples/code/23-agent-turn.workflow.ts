/** Shows: an agent that looks up an order and wants to refund it; a person lets it refund half: see docs/agent-turns.md. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow("broken-order", { args: z.object({ order: z.int().default(7) }) }, ({ args }) => {
  const help = agent("help", {
    agent: "clerk",
    command: `Order ${args.order} arrived broken. Find out what the customer is owed, and pay it back.`,
    tools: [
      { name: "find_order", action: "read" },
      { name: "refund", action: "financial" },
    ],
    turn: { max_rounds: 6, max_tool_calls: 4 },
  });
  agent("letter", { agent: "clerk", command: `Write to the customer what was done, from ${help.stdout}` });
});
