/** Shows: a diamond. Both middle steps run at the same time; the last one starts when both are done. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "city-brief",
  {
    description: "Two views of one city, joined into a briefing.",
    phases: ["collect", { id: "write", name: "Write up" }],
    args: z.object({ city: z.string().min(1) }),
  },
  ({ args }) => {
    const outline = agent("outline", {
      phase: "collect",
      command: `List the three questions a first-time visitor to ${args.city} asks most.`,
    });
    const transport = agent("transport", {
      phase: "collect",
      command: `Answer for getting around ${args.city}.`,
      stdin: outline.stdout,
    });
    const food = agent("food", {
      phase: "collect",
      command: `Answer for eating well in ${args.city}.`,
      stdin: outline.stdout,
    });
    agent("briefing", {
      phase: "write",
      command: `Join these notes into one page about ${args.city}.
Getting around: ${transport.stdout}
Eating: ${food.stdout}
`,
    });
  },
);
