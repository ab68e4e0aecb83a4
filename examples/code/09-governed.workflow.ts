/** Shows: the gates at work: a policy asks a person, an agent tries what it may not do, and the money ends. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow("governed-refund", { args: z.object({ customer: z.string().default("Ada") }) }, ({ args }) => {
  const collect = agent("collect", {
    agent: "clerk",
    command: `Collect what ${args.customer} wrote to us`,
    action: "read",
  });
  const assess = agent("assess", {
    agent: "analyst",
    command: `Decide what ${args.customer} is owed, from ${collect.stdout}`,
    estimated_cost: 0.04,
  });
  const pay = agent("pay", {
    agent: "cashier",
    command: `Pay ${args.customer} what ${assess.stdout} says`,
    action: "financial",
    estimated_cost: 0.01,
  });
  agent("letter", {
    agent: "clerk",
    command: `Send ${args.customer} a letter about ${pay.stdout}`,
    action: "write",
    on_failure: "skip",
  });
  agent("study", {
    agent: "analyst",
    command: `Compare ${assess.stdout} with all earlier cases`,
    depends_on: [pay],
    estimated_cost: 0.02,
    on_failure: "skip",
  });
});
