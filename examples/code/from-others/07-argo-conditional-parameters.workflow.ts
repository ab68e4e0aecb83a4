/** Shows: the result of whichever branch was taken. */
import { z } from "zod";
import { agent, eq, ifElse, set, workflow } from "sluice/workflow";

export default workflow("conditional-parameters", {}, () => {
  const flip = agent("flip", { command: "Flip a coin.", outputs: z.object({ side: z.enum(["heads", "tails"]) }) });
  const heads = set("heads", { text: "It was heads." }, { when: eq(flip.side, "heads") });
  const tails = set("tails", { text: "It was tails." }, { when: eq(flip.side, "tails") });
  return { result: ifElse(eq(flip.side, "heads"), heads.text, tails.text) };
});
