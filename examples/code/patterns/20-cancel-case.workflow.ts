/** Shows: WCP-20, cancel case. The whole run ends: by a step of its own, or by a person. */
import { z } from "zod";
import { agent, cancel, eq, set, workflow } from "sluice/workflow";

export default workflow("cancel-case", { args: z.object({ in_stock: z.number().default(5) }) }, ({ args }) => {
  const pack = agent("pack", { command: "Pack the goods." });
  const look = set("look", { is_missing: eq(args.in_stock, 0) });
  const giveUp = cancel("give_up", "Nothing is in stock.", { when: look.is_missing });
  agent("ship", { command: "Ship them.", depends_on: [pack, giveUp, look] });
});
