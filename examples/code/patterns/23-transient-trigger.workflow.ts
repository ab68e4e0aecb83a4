/** Shows: WCP-23, transient trigger. An event that is kept for a moment only is lost when no step waits for it. */
import { agent, wait, workflow } from "sluice/workflow";

export default workflow("transient-trigger", {}, () => {
  const dress = agent("dress", { command: "Get dressed.", timeout: "2h" });
  const bell = wait("bell", { event: "door.bell", timeout: "1h", on_timeout: "skip" }, { depends_on: [dress] });
  agent("open", { command: "Open the door.", depends_on: [bell] });
});
