export { createMcpEndpoint, type McpCaller, type McpEndpoint, type McpEndpointOptions } from "./http-endpoint.ts";
export { createInProcessFetch } from "./in-process-fetch.ts";
export { serveMcpStdio, type McpStdio, type McpStdioOptions } from "./stdio-endpoint.ts";
export type { Trouble } from "./tool-result.ts";
