/** Shows: the workflow that 08-multi-merge runs once for each branch. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow("publish-one", { args: z.object({ what: z.string() }) }, ({ args }) => {
  const proofread = agent("proofread", { command: `Proofread ${args.what}` });
  agent("publish", { command: `Publish ${proofread.stdout}` });
});
