/** Shows: retries with growing pauses. */
import { agent, workflow } from "sluice/workflow";

export default workflow("retry-backoff", { timeout: "10m" }, () => {
  agent("unreliable", {
    command: "Call the service that fails two times out of three.",
    on_failure: { retry: { attempts: 10, backoff_ms: 1000, max_backoff_ms: 5000 } },
  });
});
