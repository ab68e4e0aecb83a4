/** Shows: WCP-35, cancelling partial join for multiple instances. After two of the votes the others are withdrawn. */
import { z } from "zod";
import { add, agent, date_add, each, emit, eq, repeat, wait, workflow } from "sluice/workflow";

export default workflow(
  "cancelling-partial-join-of-instances",
  {
    args: z.object({
      people: z.array(z.any()).default([
        { name: "ann", minutes: 2 },
        { name: "bob", minutes: 60 },
        { name: "cleo", minutes: 5 },
      ]),
    }),
  },
  ({ args, run }) => {
    const votes = each(
      "votes",
      args.people,
      (person) => {
        const think = wait("think", { until: date_add(run.started_at, person.minutes, "minutes") });
        const vote = agent("vote", { command: `Ask ${person.name} for a vote.`, depends_on: [think] });
        emit("cast", { type: "vote.cast", key: { run: run.id } }, { depends_on: [vote] });
      },
      { as: "person" },
    );
    const counted = repeat("counted", () => wait({ event: "vote.cast", match: { run: run.id } }), {
      until: (_outputs, round) => eq(add(round, 1), 2),
      max: 2,
    });
    agent("decide", { command: "Announce the decision.", depends_on: [votes, counted], join: "any", race: true });
  },
);
