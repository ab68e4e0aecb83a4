/** Shows: WCP-17, interleaved parallel routing. Some steps have an order among them, and no two run at the same time. */
import { agent, workflow } from "sluice/workflow";

export default workflow(
  "interleaved-parallel-routing",
  { description: "One machine makes the parts; each is cut before it is drilled.", max_parallel: 1 },
  () => {
    const cutDoor = agent("cut_door", { command: "Cut the door." });
    agent("drill_door", { command: "Drill the door.", depends_on: [cutDoor] });
    const cutShelf = agent("cut_shelf", { command: "Cut the shelf." });
    agent("drill_shelf", { command: "Drill the shelf.", depends_on: [cutShelf] });
  },
);
