/** Shows: a workflow of which one run is under way at a time. */
import { z } from "zod";
import { add, agent, concurrency, workflow } from "sluice/workflow";

export default workflow(
  "one-at-a-time",
  { args: z.object({ target: z.string().default("production") }) },
  ({ args }) => {
    concurrency({ key: add("deploy ", args.target), limit: 1, when_full: "queue" });
    agent("deploy", { command: `Deploy to ${args.target}.` });
  },
);
