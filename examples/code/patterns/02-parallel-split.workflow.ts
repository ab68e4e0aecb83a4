/** Shows: WCP-2, parallel split. Steps that do not name each other run side by side. */
import { agent, workflow } from "sluice/workflow";

export default workflow("parallel-split", {}, () => {
  const accept = agent("accept", { command: "Accept the order." });
  agent("invoice", { command: "Write the invoice.", depends_on: [accept] });
  agent("parcel", { command: "Pack the parcel.", depends_on: [accept] });
});
