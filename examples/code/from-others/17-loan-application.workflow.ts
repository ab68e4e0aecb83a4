/** Shows: the workflow that 17-serverless-credit-check starts. */
import { z } from "zod";
import { agent, workflow } from "sluice/workflow";

export default workflow("loan-application", { args: z.object({ customer: z.string() }) }, ({ args }) => {
  agent("open_file", { command: `Open a file for ${args.customer}.` });
});
