export { createMcpAdapter, MCP_PROVIDER, type McpAdapterOptions } from "./mcp-adapter.ts";
export { McpFailure } from "./mcp-failure.ts";
export { openMcpTools, type McpTool, type McpTools } from "./mcp-tools.ts";
