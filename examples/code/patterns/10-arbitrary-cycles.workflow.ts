/** Shows: WCP-10, arbitrary cycles. Each round does the step that the round before has named, so that any step may lead to any. */
import { z } from "zod";
import { add, agent, choose, eq, ifElse, lt, orElse, repeat, set, workflow } from "sluice/workflow";

export default workflow("arbitrary-cycles", { args: z.object({ drafts: z.int().min(1).default(2) }) }, ({ args }) => {
  const paper = repeat(
    "paper",
    ({ previous }) => {
      const here = set("here", { state: orElse(previous.next, "draft"), before: orElse(previous.drafts, 0) });
      const act = choose("act", [
        {
          when: eq(here.state, "draft"),
          steps: () => {
            agent("draft", { command: "Write the paper." });
          },
        },
        {
          when: eq(here.state, "review"),
          steps: () => {
            agent("review", { command: "Read it critically." });
          },
        },
        {
          else: () => {
            agent("layout", { command: "Lay it out." });
          },
        },
      ]);
      const next = set(
        "next",
        {
          drafts: ifElse(eq(here.state, "draft"), add(here.before, 1), here.before),
          next: ifElse(
            eq(here.state, "draft"),
            "review",
            ifElse(eq(here.state, "layout"), "printed", ifElse(lt(here.before, args.drafts), "draft", "layout")),
          ),
        },
        { depends_on: [act] },
      );
      return { next: next.next, drafts: next.drafts };
    },
    { until: (outputs) => eq(outputs.next, "printed"), max: 50 },
  );
  return { rounds: paper.rounds, drafts: paper.drafts };
});
