/** Shows: work that is repeated until it gives what is wanted. */
import { z } from "zod";
import { agent, eq, repeat, workflow } from "sluice/workflow";

export default workflow("coinflip", {}, () => {
  const flip = repeat(
    "flip",
    () => agent({ command: "Flip a coin.", outputs: z.object({ side: z.enum(["heads", "tails"]) }) }),
    { until: (outputs) => eq(outputs.side, "heads"), max: 100 },
  );
  agent("heads", { command: "Announce that it was heads.", depends_on: [flip] });
  return { flips: flip.rounds };
});
