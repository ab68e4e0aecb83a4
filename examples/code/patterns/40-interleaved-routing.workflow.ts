/** Shows: WCP-40, interleaved routing. Each is done once, in any order, and never two at the same time. */
import { agent, each, workflow } from "sluice/workflow";

export default workflow("interleaved-routing", {}, () => {
  const check = each("check", ["lamp", "brakes", "tyres"], (part) => agent({ command: `Check the ${part}.` }), {
    as: "part",
    max_parallel: 1,
  });
  agent("hand_over", { command: "Hand the bicycle over.", depends_on: [check] });
});
