/** Shows: which tools an agent may call, how far it may go, and what a call is: see docs/tools.md. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow("refund-desk", { args: z.object({ order: z.string().default("A-1007") }) }, ({ args }) => {
  const settle = agent("settle", {
    agent: "support",
    command: `Look up ${args.order}, decide what the customer is owed, and pay it back`,
    tools: [
      { name: "orders/find", action: "read" },
      { name: "payments/refund", action: "financial" },
    ],
    turn: { max_rounds: 10, max_tool_calls: 6, max_repeats: 2 },
    models: ["anthropic:claude-sonnet-4-5", "openai:gpt-5"],
    estimated_cost: 0.2,
  });
  agent("letter", { agent: "support", command: `Write to the customer what was decided, from ${settle.stdout}` });
});
