/** Shows: WCP-31, blocking partial join. Two of three are enough in each round; the next round begins when all have come. */
import { z } from "zod";
import { add, agent, eq, repeat, workflow } from "sluice/workflow";

export default workflow(
  "blocking-partial-join",
  { args: z.object({ items: z.int().min(1).default(2) }) },
  ({ args }) => {
    repeat(
      "agenda",
      () => {
        const ann = agent("ann", { command: "Ask Ann for her vote." });
        const bob = agent("bob", { command: "Ask Bob for his vote." });
        const cleo = agent("cleo", { command: "Ask Cleo for her vote." });
        agent("decide", { command: "Announce the decision.", depends_on: [ann, bob, cleo], join: 2 });
      },
      { until: (_outputs, round) => eq(add(round, 1), args.items), max: 100 },
    );
  },
);
