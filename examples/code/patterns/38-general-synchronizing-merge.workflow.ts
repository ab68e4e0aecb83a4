/** Shows: WCP-38, general synchronizing merge. Branches cross without a pattern; a step waits for what can still come. */
import { z } from "zod";
import { agent, and, workflow } from "sluice/workflow";

export default workflow(
  "general-synchronizing-merge",
  { args: z.object({ is_large: z.boolean().default(false), is_foreign: z.boolean().default(false) }) },
  ({ args }) => {
    const claim = agent("claim", { command: "Read the claim." });
    const expert = agent("expert", { when: args.is_large, command: "Ask an expert.", depends_on: [claim] });
    const lawyer = agent("lawyer", { when: args.is_foreign, command: "Ask a lawyer.", depends_on: [claim] });
    const board = agent("board", {
      when: and(args.is_large, args.is_foreign),
      command: "Ask the board.",
      depends_on: [expert, lawyer],
    });
    const letter = agent("letter", { when: args.is_foreign, command: "Translate the letter.", depends_on: [lawyer] });
    const decide = agent("decide", { command: "Decide.", depends_on: [claim, expert, board] });
    agent("answer", { command: "Send the answer.", depends_on: [decide, letter] });
  },
);
