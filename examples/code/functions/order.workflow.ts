/** Shows: steps that are functions of a worker. */
import { z } from "zod";
import { call, gt, workflow } from "sluice/workflow";

const args = z.object({ article: z.string().default("tea"), cents: z.int().default(450) });

export default workflow("order", { args }, ({ args: { article, cents } }) => {
  const look = call("look", { function: "stock", inputs: { article }, outputs: z.object({ left: z.int() }) });
  const charge = call("charge", {
    function: "charge-card",
    when: gt(look.left, 0),
    inputs: { cents },
    outputs: z.object({ id: z.string() }),
  });
  return { receipt: charge.id };
});
