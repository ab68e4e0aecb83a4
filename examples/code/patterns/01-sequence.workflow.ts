/** Shows: WCP-1, sequence. Each step starts when the one before it has completed. */
import { agent, workflow } from "sluice/workflow";

export default workflow("sequence", {}, () => {
  const pickStep = agent("pick", { command: "Pick the goods." });
  const pack = agent("pack", { command: `Pack them: ${pickStep.stdout}` });
  agent("ship", { command: "Ship the parcel.", depends_on: [pack] });
});
