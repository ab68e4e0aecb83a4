/** Shows: a person who chooses between two deployments. */
import { agent, and, eq, gate, workflow } from "sluice/workflow";

export default workflow("deploy-with-approval", {}, () => {
  const deployTest = agent("deploy_test", { command: "Deploy to the test system.", action: "execute" });
  const approval = gate("approval", {
    name: "Continue to production?",
    expires: "1d",
    form: { decision: { label: "Deploy to production", enum: ["YES", "NO"], default: "NO" } },
    depends_on: [deployTest],
  });
  agent("deploy_production", {
    when: and(approval.approved, eq(approval.decision, "YES")),
    command: "Deploy to production.",
    action: "write",
  });
});
