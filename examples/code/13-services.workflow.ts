/** Shows: steps that need no model: a service over HTTP, a local command, one tool of an MCP server. */
import { z } from "zod";
import { http, mcp, process, workflow } from "sluice/workflow";

export default workflow(
  "services",
  {
    description: "Asks the server how it is, counts the words of the answer, and adds two numbers.",
    args: z.object({ first: z.number().default(2), second: z.number().default(3) }),
  },
  ({ args }) => {
    const health = http("health", { url: "health", outputs: z.object({ status: z.string() }) });
    process("count", { command: "count", stdin: health.stdout });
    mcp("add", {
      server: "calculator",
      tool: "add",
      inputs: { a: args.first, b: args.second },
      outputs: z.object({ sum: z.number() }),
    });
  },
);
