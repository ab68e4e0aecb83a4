/** Shows: WCP-19, cancel task. One step is withdrawn while it is under way, and the run continues. */
import { agent, wait, workflow } from "sluice/workflow";

export default workflow("cancel-task", {}, () => {
  const print = agent("print", { command: "Print the catalogue.", timeout: "2h" });
  const stop = wait("stop", { signal: "stop_printing" });
  agent("clean", { command: "Clean the machine.", depends_on: [print, stop], join: "any", race: true });
});
