/** Shows: WCP-41, thread merge. Several instances of one step become one again. */
import { z } from "zod";
import { agent, each, workflow } from "sluice/workflow";

export default workflow(
  "thread-merge",
  { args: z.object({ pages: z.array(z.any()).default(["one", "two", "three"]) }) },
  ({ args }) => {
    const print = each("print", args.pages, (page) => agent({ command: `Print page ${page}.` }), { as: "page" });
    agent("bind", { command: `Bind ${print.count} pages.` });
  },
);
