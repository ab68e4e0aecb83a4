/** Shows: a step that runs another workflow as a child, passes it args, and reads what its last step returned. */
import { z } from "zod";
import { agent, child, workflow } from "sluice/workflow";
import writeArticle from "./06-child.workflow.ts";

export default workflow(
  "weekly-letter",
  {
    description: "Has one article written by a workflow of its own, then makes a letter of it.",
    args: z.object({ subject: z.string().default("bees") }),
  },
  ({ args }) => {
    const planWeek = agent("plan_week", {
      command: `Say in one line what this week's article about ${args.subject} is about.`,
    });
    const article = child("article", writeArticle, { subject: args.subject, angle: planWeek.stdout, words: 120 });
    agent("letter", {
      command: `Write the letter around this article:
${article.polish.text}
`,
    });
  },
);
