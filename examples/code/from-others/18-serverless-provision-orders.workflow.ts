/** Shows: failures of different kinds that lead to different steps. */
import { z } from "zod";
import { agent, contains, http, not, script, workflow } from "sluice/workflow";

export default workflow(
  "provision-orders",
  { args: z.object({ order: z.record(z.string(), z.any()).default({ id: "o-1", item: "rope", quantity: 3 }) }) },
  ({ args }) => {
    const check = script("check", {
      code: `for (const field of ["id", "item", "quantity"]) if (inputs.order[field] === undefined) throw new Error("missing " + field);
`,
      inputs: { order: args.order },
    });
    const provision = http("provision", { url: "orders", body: args.order, depends_on: [check] });
    agent("missing_id", {
      depends_on: [{ step: check, on: "failure" }],
      when: contains(check.error.message, "missing id"),
      command: "Ask for the number of the order.",
    });
    agent("missing_other", {
      depends_on: [{ step: check, on: "failure" }],
      when: not(contains(check.error.message, "missing id")),
      command: `Ask the customer: ${check.error.message}`,
    });
    agent("apply", { command: "Apply the order.", depends_on: [provision] });
  },
);
