/** Shows: WCP-36, dynamic partial join for multiple instances. Each answer decides anew whether enough have come. */
import { z } from "zod";
import { add, agent, each, emit, gte, or, repeat, wait, workflow } from "sluice/workflow";

export default workflow(
  "dynamic-partial-join-of-instances",
  {
    args: z.object({
      people: z.array(z.any()).default(["ann", "bob", "cleo", "dora"]),
      needed: z.int().min(1).default(3),
    }),
  },
  ({ args, run }) => {
    const votes = each(
      "votes",
      args.people,
      (person) => {
        const vote = agent("vote", {
          command: `Ask ${person} for a vote.`,
          outputs: z.object({ is_veto: z.boolean() }),
        });
        emit("cast", { type: "vote.cast", key: { run: run.id }, data: { is_veto: vote.is_veto } });
      },
      { as: "person", max_parallel: 1 },
    );
    const counted = repeat(
      "counted",
      () => wait({ event: "vote.cast", match: { run: run.id } }, { outputs: z.object({ is_veto: z.boolean() }) }),
      { until: (outputs, round) => or(outputs.is_veto, gte(add(round, 1), args.needed)), max: 100 },
    );
    agent("decide", { command: "Announce the decision.", depends_on: [votes, counted], join: "any", race: true });
    return { heard: counted.rounds };
  },
);
