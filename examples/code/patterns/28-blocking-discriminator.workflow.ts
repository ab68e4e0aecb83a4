/** Shows: WCP-28, blocking discriminator. The first of each round counts, and the next round begins when all have come. */
import { z } from "zod";
import { add, agent, eq, repeat, workflow } from "sluice/workflow";

export default workflow(
  "blocking-discriminator",
  { args: z.object({ days: z.int().min(1).default(2) }) },
  ({ args }) => {
    repeat(
      "day",
      () => {
        const quick = agent("quick", { command: "Read the quick gauge." });
        const slow = agent("slow", { command: "Read the slow gauge." });
        agent("publish", { command: "Publish the level.", depends_on: [quick, slow], join: "any" });
      },
      { until: (_outputs, round) => eq(add(round, 1), args.days), max: 100 },
    );
  },
);
