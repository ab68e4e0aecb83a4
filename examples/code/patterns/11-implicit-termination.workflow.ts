/** Shows: WCP-11, implicit termination. The run completes when nothing is left to do; no step has to say so. */
import { agent, workflow } from "sluice/workflow";

export default workflow("implicit-termination", {}, () => {
  const accept = agent("accept", { command: "Accept the order." });
  agent("thank", { command: "Thank the customer.", depends_on: [accept] });
  agent("deliver", { command: "Deliver the goods.", depends_on: [accept] });
});
