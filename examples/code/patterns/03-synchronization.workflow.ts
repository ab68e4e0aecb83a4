/** Shows: WCP-3, synchronization. A step with several parents waits for all of them. */
import { agent, workflow } from "sluice/workflow";

export default workflow("synchronization", {}, () => {
  const invoice = agent("invoice", { command: "Write the invoice." });
  const parcel = agent("parcel", { command: "Pack the parcel." });
  agent("close", { command: "Close the order.", depends_on: [invoice, parcel] });
});
