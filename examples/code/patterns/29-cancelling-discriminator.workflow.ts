/** Shows: WCP-29, cancelling discriminator. The first answer lets the next step start, and the others are withdrawn. */
import { agent, workflow } from "sluice/workflow";

export default workflow("cancelling-discriminator", {}, () => {
  const askAnn = agent("ask_ann", { command: "Ask Ann." });
  const askBob = agent("ask_bob", { command: "Ask Bob." });
  agent("use", {
    command: `Use ${askAnn.stdout}${askBob.stdout}`,
    depends_on: [askAnn, askBob],
    join: "any",
    race: true,
  });
});
