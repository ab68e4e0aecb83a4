/** Shows: the workflow that 06-parent starts as a child; it runs alone as well. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "write-article",
  {
    description: "Drafts and polishes one article.",
    args: z.object({
      subject: z.string(),
      angle: z.string().default("what is new"),
      words: z.int().min(50).max(2000).default(200),
    }),
  },
  ({ args }) => {
    const draft = agent("draft", { command: `Draft ${args.words} words about ${args.subject}. Angle - ${args.angle}` });
    agent("polish", {
      command: "Polish this draft.",
      stdin: draft.stdout,
      outputs: z.object({ text: z.string().min(1) }),
    });
  },
);
