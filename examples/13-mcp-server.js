/** An MCP server over standard input and output, without any library: one tool that adds two numbers. */
import { createInterface } from "node:readline";

const add = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
};

function answer(method, params) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "calculator", version: "1.0.0" },
      };
    case "tools/list":
      return { tools: [add] };
    case "tools/call": {
      const sum = params.arguments.a + params.arguments.b;
      return { content: [{ type: "text", text: String(sum) }], structuredContent: { sum } };
    }
    default:
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  // What has no id wants no answer.
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answer(method, params) })}\n`);
}
