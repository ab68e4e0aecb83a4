/** Shows: WCP-6, multi-choice. Any number of branches is chosen, each by its own condition. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "multi-choice",
  { args: z.object({ is_stolen: z.boolean().default(false), is_hurt: z.boolean().default(false) }) },
  ({ args }) => {
    agent("police", { when: args.is_stolen, command: "Call the police." });
    agent("doctor", { when: args.is_hurt, command: "Call a doctor." });
  },
);
