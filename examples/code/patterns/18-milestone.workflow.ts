/** Shows: WCP-18, milestone. A step can happen only while a state lasts: here, changes are taken until two hours after the offer. */
import { z } from "zod";
import { agent, wait, workflow } from "sluice/workflow";

export default workflow("milestone", { args: z.object({ offer: z.string().default("o-1") }) }, ({ args }) => {
  const send = agent("send", { command: "Send the offer." });
  const change = wait(
    "change",
    { event: "offer.change", match: { offer: args.offer }, timeout: "2h", on_timeout: "skip" },
    { outputs: z.object({ wish: z.string() }), depends_on: [send] },
  );
  agent("adapt", { command: `Adapt the offer: ${change.wish}` });
});
