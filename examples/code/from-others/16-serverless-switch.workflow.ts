/** Shows: one of several ways, by the kind of an order. */
import { z } from "zod";
import { choose, eq, set, workflow } from "sluice/workflow";

export default workflow("process-order", { args: z.object({ kind: z.string().default("unknown") }) }, ({ args }) => {
  choose("process", [
    {
      when: eq(args.kind, "electronic"),
      steps: () => {
        set("send_link", { is_valid: true, status: "fulfilled" });
      },
    },
    {
      when: eq(args.kind, "physical"),
      steps: () => {
        set("pack", { items: 1, address: "Harbour Street 1" });
      },
    },
    {
      else: () => {
        set("warn", { note: `No such kind of order: ${args.kind}.` });
      },
    },
  ]);
});
