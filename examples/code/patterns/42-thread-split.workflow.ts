/** Shows: WCP-42, thread split. One step becomes as many instances as a number says. */
import { z } from "zod";
import { add, agent, each, range, workflow } from "sluice/workflow";

export default workflow(
  "thread-split",
  { args: z.object({ copies: z.int().min(0).max(100).default(2) }) },
  ({ args }) => {
    const layout = agent("layout", { command: "Lay the leaflet out." });
    const print = each(
      "print",
      range(args.copies),
      (copy) => agent({ command: `Print copy ${add(copy, 1)} of ${layout.stdout}` }),
      { as: "copy" },
    );
    return { printed: print.count };
  },
);
