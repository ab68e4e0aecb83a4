/** Shows: WCP-25, cancel region. Several steps are withdrawn together: they stand in one block. */
import { agent, block, set, wait, workflow } from "sluice/workflow";

export default workflow("cancel-region", {}, () => {
  const delivery = block("delivery", () => {
    const pack = agent("pack", { command: "Pack the goods.", timeout: "2h" });
    agent("load", { command: "Load the van.", depends_on: [pack] });
  });
  const withdraw = wait("withdraw", { signal: "withdraw" });
  const invoice = agent("invoice", { command: "Write the invoice.", timeout: "2h" });
  const delivered = set("delivered", { is_over: true }, { depends_on: [delivery, withdraw], join: "any", race: true });
  agent("close", { command: "Close the order.", depends_on: [delivered, invoice] });
});
