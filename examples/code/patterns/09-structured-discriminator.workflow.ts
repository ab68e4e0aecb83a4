/** Shows: WCP-9, structured discriminator. The first answer lets the next step start; later ones are finished and ignored. */
import { agent, workflow } from "sluice/workflow";

export default workflow("structured-discriminator", {}, () => {
  const askAnn = agent("ask_ann", { command: "Ask Ann for a price." });
  const askBob = agent("ask_bob", { command: "Ask Bob for a price." });
  const askCleo = agent("ask_cleo", { command: "Ask Cleo for a price." });
  agent("offer", { command: "Make the offer.", depends_on: [askAnn, askBob, askCleo], join: "any" });
});
