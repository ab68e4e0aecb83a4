/** Shows: WCP-5, simple merge. One of two branches runs; the step after them starts when that one has completed. */
import { z } from "zod";
import { agent, not, workflow } from "sluice/workflow";

export default workflow("simple-merge", { args: z.object({ is_member: z.boolean().default(true) }) }, ({ args }) => {
  const discount = agent("discount", { when: args.is_member, command: "Calculate the price for members." });
  const fullPrice = agent("full_price", { when: not(args.is_member), command: "Calculate the full price." });
  agent("bill", { command: "Write the bill.", depends_on: [discount, fullPrice] });
});
