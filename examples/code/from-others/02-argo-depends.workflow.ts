/** Shows: steps that start by how others have ended. */
import { agent, workflow } from "sluice/workflow";

export default workflow("depends-on-outcome", {}, () => {
  const fetchStep = agent("fetch", { command: "Fetch the order." });
  const charge = agent("charge", { command: "Charge the card.", depends_on: [fetchStep] });
  const discount = agent("discount", { command: "Look for a discount.", depends_on: [fetchStep] });
  agent("log", { command: "Log how it went.", depends_on: [fetchStep, { step: discount, on: "settled" }] });
  agent("apologise", {
    command: `Apologise: ${discount.error.message}`,
    depends_on: [{ step: discount, on: "failure" }],
  });
  agent("first_done", { command: "Show that something was done.", depends_on: [charge, discount], join: "any" });
  agent("both_done", { command: "Show the reduced price.", depends_on: [charge, discount] });
});
