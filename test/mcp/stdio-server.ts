import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { makeToolServer } from "./tools.ts";

if (process.env["TOOL_CANARY"] !== undefined) process.stderr.write(`canary ${process.env["TOOL_CANARY"]}\n`);
serveStdio(() => {
  const server = makeToolServer();
  server.registerTool("env", { description: "Which variables it was given." }, () => ({
    content: [{ type: "text", text: Object.keys(process.env).sort().join(" ") }],
  }));
  return server;
});
