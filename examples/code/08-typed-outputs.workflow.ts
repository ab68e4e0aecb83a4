/** Shows: declared outputs and what Sluice makes of sloppy answers. */
import { z } from "zod";
import { agent, and, eq, gt, isIn, lte, ne, ref, typed, workflow } from "sluice/workflow";

export default workflow(
  "invoice-check",
  {
    description: "Reads an invoice into typed fields and decides whether it may be paid.",
    args: z.object({ limit: z.number().min(0).default(500) }),
  },
  ({ args }) => {
    const read = agent("read", {
      command: "Read the invoice and return its fields.",
      outputs: z.object({
        supplier: z.string().min(2).max(60),
        total: z.number().min(0),
        lines: z.int().min(1),
        is_signed: z.boolean(),
        tags: z.array(z.string()).optional(),
      }),
      success_criteria: (outputs) => [gt(outputs.total, 0), ne(outputs.supplier, "unknown")],
    });
    const decide = agent("decide", {
      command: (inputs) =>
        `May invoice of ${ref<string>("supplier")} over ${inputs.total} be paid? Answer PAY or ASK, and why.`,
      inputs: { total: typed(read.total, z.number()), is_signed: read.is_signed },
      outputs: z.object({ decision: z.enum(["PAY", "ASK"]) }),
    });
    agent("pay", {
      command: `Pay ${decide.total} to ${read.supplier}.`,
      when: and(isIn(decide.decision, ["PAY"]), eq(decide.is_signed, true), lte(ref<number>("total"), args.limit)),
      effects: "at_most_once",
    });
  },
);
