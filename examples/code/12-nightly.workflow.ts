/** Shows: a workflow that is started by the clock and by messages from outside, and reports its result. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "nightly-check",
  { args: z.object({ depth: z.enum(["quick", "full"]).default("full") }) },
  ({ args }) => {
    const collect = agent("collect", {
      action: "read",
      command: `Collect what changed since yesterday, ${args.depth}.`,
    });
    const judge = agent("judge", {
      command: `Is any of this unusual? ${collect.stdout}`,
      outputs: z.object({ unusual: z.boolean() }),
    });
    agent("tell", { when: judge.unusual, command: "Say what is unusual." });
  },
);
