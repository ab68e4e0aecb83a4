/** Shows: WCP-30, structured partial join. Two of three are enough; the third is finished and ignored. */
import { agent, workflow } from "sluice/workflow";

export default workflow("structured-partial-join", {}, () => {
  const ann = agent("ann", { command: "Ask Ann for her vote." });
  const bob = agent("bob", { command: "Ask Bob for his vote." });
  const cleo = agent("cleo", { command: "Ask Cleo for her vote." });
  agent("decide", { command: "Announce the decision.", depends_on: [ann, bob, cleo], join: 2 });
});
