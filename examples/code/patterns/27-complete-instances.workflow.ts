/** Shows: WCP-27, complete multiple instance activity. The rest of the instances is withdrawn, and the run continues. */
import { z } from "zod";
import { agent, each, wait, workflow } from "sluice/workflow";

export default workflow(
  "complete-instances",
  { args: z.object({ reviewers: z.array(z.any()).default(["ann", "bob", "cleo"]) }) },
  ({ args }) => {
    const review = each(
      "review",
      args.reviewers,
      (reviewer) => agent({ command: `Ask ${reviewer} for a review.`, timeout: "2h" }),
      { as: "reviewer" },
    );
    const deadline = wait("deadline", "30m");
    agent("decide", {
      command: "Decide with the reviews that are there.",
      depends_on: [review, deadline],
      join: "any",
      race: true,
    });
  },
);
