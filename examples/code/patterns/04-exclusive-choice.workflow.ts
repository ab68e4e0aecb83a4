/** Shows: WCP-4, exclusive choice. The first branch whose condition holds is taken, and no other. */
import { z } from "zod";
import { agent, choose, gt, workflow } from "sluice/workflow";

export default workflow("exclusive-choice", { args: z.object({ amount: z.number().default(40) }) }, ({ args }) => {
  const decide = choose("decide", [
    {
      when: gt(args.amount, 1000),
      steps: () => {
        agent("ask_board", { command: `Ask the board about ${args.amount}.` });
      },
    },
    {
      when: gt(args.amount, 100),
      steps: () => {
        agent("ask_manager", { command: `Ask the manager about ${args.amount}.` });
      },
    },
    {
      else: () => {
        agent("buy", { command: `Buy it for ${args.amount}.` });
      },
    },
  ]);
  agent("note", { command: "Note what was decided.", depends_on: [decide] });
});
