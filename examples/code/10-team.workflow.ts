/** Shows: a team run: members take nodes by role, tools and lane; one fails and the next takes over; no member fits and a person names one. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "desk-digest",
  {
    description: "Finds the news, writes a digest and translates it.",
    args: z.object({ subject: z.string().default("tides") }),
  },
  ({ args }) => {
    const findStep = agent("find", {
      role: "research",
      command: `Find what is new about ${args.subject}.`,
      tools: [{ name: "search", action: "read" }],
    });
    const write = agent("write", { role: "writing", command: `Write a digest of: ${findStep.stdout}` });
    agent("translate", { command: `Translate: ${write.stdout}`, tools: [{ name: "dictionary", action: "read" }] });
  },
);
