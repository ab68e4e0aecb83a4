/** Shows: two steps, an arg with a default, and a reference that makes the second step wait for the first. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "hello",
  {
    description: "Greets a person, then turns the greeting into a postcard.",
    args: z.object({ name: z.string().max(80).default("world") }),
  },
  ({ args }) => {
    const greet = agent("greet", { command: `Write one friendly sentence that greets ${args.name}.` });
    agent("postcard", {
      command: `Write a postcard of at most fifty words that opens with this greeting:
${greet.stdout}
`,
    });
  },
);
