/** Shows: what people see before they agree, what they enter, and two of them who have to. */
import { z } from "zod";
import { agent, gate, workflow } from "sluice/workflow";

export default workflow(
  "payment",
  {
    description: "Reads an invoice, asks two people, and pays what they have agreed on.",
    args: z.object({ supplier: z.string().default("Tide and Sons") }),
  },
  ({ args }) => {
    const invoice = agent("invoice", {
      action: "read",
      command: `Read the newest invoice of ${args.supplier}, and summarise it.`,
      outputs: z.object({
        amount: z.number().min(0),
        lines: z.array(z.any()),
        summary: z.string(),
        last_summary: z.string(),
      }),
    });
    const agree = gate("agree", {
      name: `Pay ${invoice.amount} to ${args.supplier}?`,
      four_eyes: true,
      confirm: "sign_in",
      expires: "5d",
      show: [
        { label: "Summary", markdown: invoice.summary },
        { label: "Lines", table: invoice.lines },
        { label: "Against the last invoice", diff: [invoice.last_summary, invoice.summary] },
      ],
      form: {
        amount: { type: "number", label: "Amount to pay", default: invoice.amount, min: 0, max: 10000 },
        account: { label: "From which account", enum: ["operations", "projects"], default: "operations" },
        note: { type: "text", label: "Note for the books", required: false },
      },
    });
    agent("pay", {
      action: "financial",
      command: `Pay ${agree.amount} to ${args.supplier} from the account ${agree.account}.`,
    });
  },
);
