/** Shows: WCP-24, persistent trigger. An event is kept until a step waits for it (default: one hour, at most seven days). */
import { z } from "zod";
import { agent, wait, workflow } from "sluice/workflow";

export default workflow("persistent-trigger", { args: z.object({ order: z.string().default("o-17") }) }, ({ args }) => {
  const prepare = agent("prepare", { command: "Prepare the order.", timeout: "2h" });
  const paid = wait(
    "paid",
    { event: "order.paid", match: { order: args.order }, timeout: "2h" },
    { outputs: z.object({ amount: z.number() }), depends_on: [prepare] },
  );
  agent("ship", { command: `Ship what ${paid.amount} were paid for.` });
});
